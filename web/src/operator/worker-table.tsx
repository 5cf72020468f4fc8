import { count, duration } from '../format.ts';
import { text } from '../text.ts';
import type { Overview } from './overview.ts';

/** A worker tells that it lives every 10 s; after so long without a word the service takes it for dead. */
export const silentSecondsMax = 30;

export function WorkerTable({ workers }: Pick<Overview, 'workers'>) {
  const words = text.operator;
  if (workers.length === 0) return null;
  return (
    <section class="panel">
      <h2>{words.workers}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: on a phone it scrolls, and keys must reach it. */}
      <section class="scroll" aria-label={words.workers} tabIndex={0}>
        <table class="list">
          <thead>
            <tr>
              <th>{words.host}</th>
              <th>{words.engine}</th>
              <th>{words.models}</th>
              <th class="num">{words.capacity}</th>
              <th>{words.version}</th>
              <th>{words.heard}</th>
            </tr>
          </thead>
          <tbody>
            {workers.map((one) => (
              <tr key={one.id}>
                <td>{one.host ?? one.id.slice(0, 8)}</td>
                <td>{one.engine ?? '–'}</td>
                <td class="small">{one.models?.join(', ') || '–'}</td>
                <td class="num">{one.capacity === null ? '–' : count(one.capacity)}</td>
                <td class="num">{one.version ?? '–'}</td>
                <td class={one.silent_seconds < silentSecondsMax ? 'num' : 'num bad'}>
                  {words.ago(duration(Math.max(1, one.silent_seconds)))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </section>
  );
}
