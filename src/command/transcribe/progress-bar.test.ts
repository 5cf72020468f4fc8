import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { ProgressBar, progressLine } from './progress-bar.ts';

function terminal(isTTY: boolean) {
  const written: string[] = [];
  const stream = { isTTY, columns: 200, write: (text: string) => written.push(text) > 0 };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

test('elapsed and remaining time stand there from the first second on', async () => {
  const clock = new ManualClock();
  const { written, stream } = terminal(true);
  const bar = new ProgressBar(stream, { clock, expectedSeconds: 90 });
  assert.match(written.join(''), /^\r░{20} {3}0 % {2}0:00, about 2 min left {2}starting/);
  bar.show({ stage: 'transcribing talk.mp3', fraction: 0.5 });
  await clock.advance(62_000);
  assert.match(
    written.at(-1) ?? '',
    /^\r█{10}░{10} {2}50 % {2}1:02, about 2 min left {2}transcribing talk\.mp3/,
  );
  bar.stop();
  assert.equal(written.at(-1), '\r\x1b[K');
});

test('where nobody looks nothing is drawn', async () => {
  const clock = new ManualClock();
  const { written, stream } = terminal(false);
  const bar = new ProgressBar(stream, { clock, expectedSeconds: 90 });
  await clock.advance(10_000);
  bar.stop();
  assert.deepEqual(written, []);
});

test('times are as exact as they can be', () => {
  const line = (elapsedSeconds: number, fraction: number) =>
    progressLine({ stage: '', fraction }, { elapsedSeconds, expectedSeconds: 100 }).slice(28);
  assert.equal(line(3, 0.75), '0:03, about 1 s left  ');
  assert.equal(line(42, 0.5), '0:42, about 45 s left  ');
  assert.equal(line(3723, 0.5), '1:02:03, about 1 h 3 min left  ');
});
