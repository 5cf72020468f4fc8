import { useEffect } from 'preact/hooks';
import { bytes, count, duration, when } from '../format.ts';
import { Frame } from '../frame.tsx';
import { useLoaded } from '../load.ts';
import { account } from '../session.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';
import { AccountTable } from './account-table.tsx';
import type { Overview } from './overview.ts';
import { silentSecondsMax, WorkerTable } from './worker-table.tsx';

const lookAgainMs = 5_000;

export function OperatorPage() {
  useEffect(() => {
    document.title = `${text.operator.title} · Longhand`;
  }, []);
  return (
    <Frame>
      <main class="page operator">
        <h1>{text.operator.title}</h1>
        {account().is_operator ? <Body /> : <p class="notice bad">{text.operator.refused}</p>}
      </main>
    </Frame>
  );
}

function Body() {
  const { data, isBroken, reload } = useLoaded<Overview>('/web/operator');
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && void reload(), lookAgainMs);
    return () => clearInterval(timer);
  }, [reload]);
  const now = data.value;
  if (!now) {
    if (isBroken.value) return <Trouble retry={reload}>{text.settings.notLoaded}</Trouble>;
    return <Loading />;
  }
  const heard = now.workers.filter((one) => one.silent_seconds < silentSecondsMax).length;
  return (
    <>
      {heard === 0 && <p class="notice bad">{text.operator.noWorker}</p>}
      {now.disk.free_bytes <= now.disk.reserve_bytes && <p class="notice bad">{text.operator.diskFull}</p>}
      <Tiles now={now} heard={heard} />
      <WorkerTable workers={now.workers} />
      <Failures failures={now.failures} />
      <AccountTable accounts={now.accounts} plans={now.plans} reload={reload} />
    </>
  );
}

function Tiles({ now, heard }: { now: Overview; heard: number }) {
  const { stages, ended } = now.jobs;
  const { free_bytes: free, total_bytes: total } = now.disk;
  const tiles: [name: string, value: string][] = [
    ...Object.entries(text.operator.stages).map(([stage, name]): [string, string] => [
      name,
      count(stages[stage as keyof typeof stages]),
    ]),
    [text.operator.completed, count(ended.completed)],
    [text.operator.failed, count(ended.failed)],
    [text.operator.oldest, now.oldest_queued_seconds === null ? '–' : duration(now.oldest_queued_seconds)],
    [text.operator.pending, duration(now.pending_audio_seconds)],
    [text.operator.workers, text.operator.workersHeard(count(heard))],
    [text.operator.diskOf(bytes(total)), bytes(free)],
  ];
  return (
    <dl class="tiles">
      {tiles.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd class="num">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Failures({ failures }: Pick<Overview, 'failures'>) {
  return (
    <section class="panel">
      <h2>{text.operator.failures}</h2>
      {failures.length === 0 ? (
        <p class="quiet">{text.operator.noFailures}</p>
      ) : (
        <ul class="rows">
          {failures.map((one) => (
            <li key={one.id}>
              <div class="main">
                <strong dir="auto">{one.filename}</strong>
                <p class="small">
                  <code>{one.error_code}</code> {one.error}
                </p>
              </div>
              <span class="small quiet num" dir="auto">
                {one.account_name} · {one.finished_at ? when(one.finished_at) : ''}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
