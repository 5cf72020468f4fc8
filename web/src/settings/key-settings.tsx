import { useSignal } from '@preact/signals';
import { count, day, when } from '../format.ts';
import { useLoaded } from '../load.ts';
import { longhand, request } from '../request.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';
import { toast } from '../toast.tsx';
import { CopyButton, Secret } from './secret.tsx';

interface Key {
  id: string;
  name: string;
  is_active: boolean;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  revoked_at: string | null;
}

const lifetimesDays = [30, 90, 365];

export function KeySettings() {
  const { data, isBroken, reload } = useLoaded<Key[]>('/web/keys');
  const made = useSignal<string | undefined>(undefined);
  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = new FormData(form);
    const days = String(fields.get('days'));
    const body = { name: String(fields.get('name')), expires_in_days: days === '' ? null : Number(days) };
    try {
      made.value = (await request<{ key: string }>('POST', '/web/keys', { body })).key;
      form.reset();
      await reload();
    } catch (error) {
      toast((error as Error).message, { isBad: true });
    }
  };
  return (
    <>
      <p class="quiet">{text.keys.hint}</p>
      <section class="panel">
        <form class="form-row" onSubmit={(event) => void create(event)}>
          <label>
            {text.keys.name}
            <input class="field" name="name" required maxLength={100} />
          </label>
          <label>
            {text.keys.expires}
            <select class="field" name="days">
              <option value="">{text.keys.never}</option>
              {lifetimesDays.map((one) => (
                <option key={one} value={one}>
                  {text.keys.days(count(one))}
                </option>
              ))}
            </select>
          </label>
          <button class="btn main" type="submit">
            {text.keys.create}
          </button>
        </form>
        {made.value && <Secret hint={text.keys.made} value={made.value} />}
        {isBroken.value && <Trouble retry={reload}>{text.settings.notLoaded}</Trouble>}
        {data.value ? <KeyList keys={data.value} reload={reload} /> : !isBroken.value && <Loading />}
      </section>
      <Example apiKey={made.value} />
    </>
  );
}

function KeyList({ keys, reload }: { keys: readonly Key[]; reload(): Promise<void> }) {
  const revoke = async ({ id, name }: Key) => {
    if (!confirm(text.keys.sure(name))) return;
    await request('DELETE', `/web/keys/${id}`).catch(() => toast(text.settings.notDone, { isBad: true }));
    await reload();
  };
  if (keys.length === 0) return <p class="quiet">{text.keys.none}</p>;
  return (
    <ul class="rows">
      {keys.map((key) => (
        <li key={key.id}>
          <div class="main">
            <strong dir="auto">{key.name}</strong>
            <p class="small quiet num">{factsOf(key)}</p>
          </div>
          {key.is_active ? (
            <button
              type="button"
              class="btn small bad"
              aria-label={text.keys.revoke(key.name)}
              onClick={() => void revoke(key)}
            >
              {text.keys.revokeShort}
            </button>
          ) : (
            <span class="chip plain">{key.revoked_at ? text.keys.revoked : text.keys.expired}</span>
          )}
        </li>
      ))}
    </ul>
  );
}

function factsOf({ last_used_at: used, expires_at: end, is_active: isActive }: Key): string {
  const use = used ? text.keys.lastUsed(when(used)) : text.keys.neverUsed;
  return end && isActive ? `${use} · ${text.keys.validUntil(day(end))}` : use;
}

/** A line with the reader's own values, and what it gives. */
function Example({ apiKey }: { apiKey: string | undefined }) {
  const answer = useSignal<string | undefined>(undefined);
  const line = `curl -H "Authorization: Bearer ${apiKey ?? 'lh_…'}" ${location.origin}/api/v1/transcriptions?limit=3`;
  const run = async () => {
    try {
      answer.value = JSON.stringify({ data: await longhand.transcriptions.list({ limit: 3 }) }, null, 2);
    } catch (error) {
      answer.value = (error as Error).message;
    }
  };
  return (
    <section class="panel">
      <h2>{text.keys.example}</h2>
      <p class="quiet">{text.keys.exampleHint}</p>
      <pre class="code">{line}</pre>
      <div class="form-row">
        <CopyButton value={line} />
        <button type="button" class="btn small" onClick={() => void run()}>
          {text.keys.run}
        </button>
        <a class="btn small plain" href="/docs">
          {text.frame.docs}
        </a>
      </div>
      {answer.value !== undefined && (
        <pre class="code" role="status">
          {answer.value}
        </pre>
      )}
    </section>
  );
}
