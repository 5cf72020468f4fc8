import { useEffect } from 'preact/hooks';
import { count, when } from '../format.ts';
import { useLoaded } from '../load.ts';
import { request } from '../request.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';
import { toast } from '../toast.tsx';

interface Delivery {
  id: string;
  type: string;
  receiver: string;
  state: keyof typeof text.webhooks.states;
  body: string;
  created_at: string;
  next_attempt_at: string | null;
  attempts: {
    started_at: string;
    duration_ms: number | null;
    status_code: number | null;
    error: string | null;
    /** The beginning of what the receiver said. */
    answer: string | null;
  }[];
}

const endedStates: ReadonlySet<string> = new Set(['delivered', 'exhausted', 'gone', 'cancelled']);
/** While something is on its way the log looks again. */
const lookAgainMs = 2_000;

export function DeliveryLog({ sent }: { sent: number }) {
  const { data, isBroken, reload } = useLoaded<Delivery[]>('/web/webhook-deliveries');
  const isOpen = data.value?.some(({ state }) => !endedStates.has(state)) ?? false;
  useEffect(() => {
    if (sent > 0) void reload();
  }, [sent, reload]);
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => !document.hidden && void reload(), lookAgainMs);
    return () => clearInterval(timer);
  }, [isOpen, reload]);
  const replay = async (id: string) => {
    try {
      await request('POST', `/web/webhook-deliveries/${id}/replay`);
      toast(text.webhooks.replayed);
      await reload();
    } catch {
      toast(text.settings.notDone, { isBad: true });
    }
  };
  return (
    <section class="panel">
      <h2>{text.webhooks.log}</h2>
      {isBroken.value && <Trouble retry={reload}>{text.settings.notLoaded}</Trouble>}
      {!data.value && !isBroken.value && <Loading />}
      {data.value?.length === 0 && <p class="quiet">{text.webhooks.logNone}</p>}
      <ul class="rows">
        {data.value?.map((one) => (
          <li key={one.id}>
            <details class="main">
              <summary>
                <span class={one.state === 'delivered' ? 'chip' : 'chip plain'}>
                  {text.webhooks.states[one.state]}
                </span>{' '}
                {one.type} → {one.receiver} <span class="quiet num">{when(one.created_at)}</span>
              </summary>
              <DeliveryDetails delivery={one} />
            </details>
            {endedStates.has(one.state) && (
              <button type="button" class="btn small" onClick={() => void replay(one.id)}>
                {text.webhooks.replay}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function DeliveryDetails({ delivery: { body, attempts, next_attempt_at: next } }: { delivery: Delivery }) {
  return (
    <div class="stack">
      <h3 class="small">{text.webhooks.body}</h3>
      <pre class="code">{pretty(body)}</pre>
      <h3 class="small">{text.webhooks.attempts}</h3>
      <ol class="small num">
        {attempts.map((one) => (
          <li key={one.started_at}>
            {when(one.started_at)}:{' '}
            {one.status_code === null
              ? text.webhooks.notAnswered(one.error ?? '')
              : text.webhooks.answered(String(one.status_code), count(one.duration_ms ?? 0))}
            {one.answer && <pre class="code">{pretty(one.answer)}</pre>}
          </li>
        ))}
      </ol>
      {next && <p class="small quiet">{text.webhooks.next(when(next))}</p>}
    </div>
  );
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
