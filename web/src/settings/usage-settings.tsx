import { bytes, count, day, duration } from '../format.ts';
import { useLoaded } from '../load.ts';
import { account } from '../session.ts';
import { Loading, Trouble } from '../states.tsx';
import { text } from '../text.ts';

interface Usage {
  today: string;
  days: { day: string; transcriptions: number }[];
}

const daysShown = 30;
const dayMs = 86_400_000;

export function UsageSettings() {
  const { data, isBroken, reload } = useLoaded<Usage>('/web/usage');
  const { plan } = account();
  if (isBroken.value) return <Trouble retry={reload}>{text.settings.notLoaded}</Trouble>;
  if (!data.value) return <Loading />;
  const used = new Map(data.value.days.map((one) => [one.day, one.transcriptions]));
  const usedToday = used.get(data.value.today) ?? 0;
  const today = text.usage.today(count(usedToday), count(plan.daily_transcriptions_max));
  return (
    <>
      <p class="quiet">{text.usage.hint(plan.name)}</p>
      <section class="panel">
        <h2 class="num">{today}</h2>
        <progress
          class="bar meter"
          max={plan.daily_transcriptions_max}
          value={usedToday}
          aria-label={today}
        />
        <dl class="tiles">
          <div>
            <dt>{text.usage.file}</dt>
            <dd class="num">{bytes(plan.file_bytes_max)}</dd>
          </div>
          <div>
            <dt>{text.usage.length}</dt>
            <dd class="num">{duration(plan.media_seconds_max)}</dd>
          </div>
          <div>
            <dt>{text.usage.speakers}</dt>
            <dd>{plan.speaker_diarization ? text.usage.yes : text.usage.no}</dd>
          </div>
        </dl>
      </section>
      <section class="panel">
        <h2>{text.usage.lastDays}</h2>
        <Days used={used} today={data.value.today} />
      </section>
    </>
  );
}

function Days({ used, today }: { used: ReadonlyMap<string, number>; today: string }) {
  const last = Date.parse(`${today}T00:00:00Z`);
  const days = Array.from({ length: daysShown }, (_, i) => {
    const name = new Date(last - (daysShown - 1 - i) * dayMs).toISOString().slice(0, 10);
    return { name, count: used.get(name) ?? 0 };
  });
  const most = Math.max(1, ...days.map((one) => one.count));
  const label = days
    .filter((one) => one.count > 0)
    .map((one) => text.usage.day(day(one.name), count(one.count)))
    .join(', ');
  return (
    <div class="days" role="img" aria-label={label || '0'}>
      {days.map((one) => (
        <i
          key={one.name}
          style={{ height: `${Math.round((100 * one.count) / most)}%` }}
          title={text.usage.day(day(one.name), count(one.count))}
        />
      ))}
    </div>
  );
}
