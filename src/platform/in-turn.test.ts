import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { InTurn, NoTurn } from './in-turn.ts';

function held(line: InTurn, key: string, begun: string[], name: string) {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const done = line.run(key, async () => {
    begun.push(name);
    await end;
  });
  return { end: resolve, done };
}

test('work of one key goes a few at a time, in the order of arrival; another key does not wait', async () => {
  const line = new InTurn({ atOnce: 2, waitingMax: 10, waitMs: 1_000, clock: new ManualClock() });
  const begun: string[] = [];
  const [one, two, three, four] = ['1', '2', '3', '4'].map((name) => held(line, 'a', begun, name));
  const other = held(line, 'b', begun, 'other');
  assert.deepEqual(begun, ['1', '2', 'other']);
  two?.end();
  await two?.done;
  await nextTurn();
  assert.deepEqual(begun, ['1', '2', 'other', '3']);
  for (const work of [one, three, four, other]) {
    work?.end();
    await work?.done;
  }
  assert.deepEqual(begun, ['1', '2', 'other', '3', '4']);
});

test('what fails hands its turn on', async () => {
  const line = new InTurn({ atOnce: 1, waitingMax: 10, waitMs: 1_000, clock: new ManualClock() });
  const failed = line.run('a', () => Promise.reject(new Error('broken')));
  const next = line.run('a', async () => 'done');
  await assert.rejects(failed, /broken/);
  assert.equal(await next, 'done');
});

test('who waits too long, or finds too many waiting, is told so and never begins', async () => {
  const clock = new ManualClock();
  const line = new InTurn({ atOnce: 1, waitingMax: 1, waitMs: 1_000, clock });
  const begun: string[] = [];
  const first = held(line, 'a', begun, '1');
  const late = held(line, 'a', begun, '2');
  await assert.rejects(held(line, 'a', begun, '3').done, NoTurn);
  const refused = assert.rejects(late.done, NoTurn);
  await clock.advance(1_000);
  await refused;
  first.end();
  await first.done;
  const next = held(line, 'a', begun, '4');
  assert.deepEqual(begun, ['1', '4']);
  next.end();
  await next.done;
});
