import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { KeyedLimit, LimitReached } from './keyed-limit.ts';

function held(limit: KeyedLimit, key: string, begun: string[], name: string) {
  const { promise: end, resolve } = Promise.withResolvers<void>();
  const done = limit.run(key, async () => {
    begun.push(name);
    await end;
  });
  return { end: resolve, done };
}

test('work of one key goes a few at a time, in the order of arrival; another key does not wait', async () => {
  const limit = new KeyedLimit({ atOnce: 2, waitingMax: 10, waitMs: 1_000, clock: new ManualClock() });
  const begun: string[] = [];
  const [one, two, three, four] = ['1', '2', '3', '4'].map((name) => held(limit, 'a', begun, name));
  const other = held(limit, 'b', begun, 'other');
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
  const limit = new KeyedLimit({ atOnce: 1, waitingMax: 10, waitMs: 1_000, clock: new ManualClock() });
  const failed = limit.run('a', () => Promise.reject(new Error('broken')));
  const next = limit.run('a', async () => 'done');
  await assert.rejects(failed, /broken/);
  assert.equal(await next, 'done');
});

test('who waits too long, or finds too many waiting, is told so and never begins', async () => {
  const clock = new ManualClock();
  const limit = new KeyedLimit({ atOnce: 1, waitingMax: 1, waitMs: 1_000, clock });
  const begun: string[] = [];
  const first = held(limit, 'a', begun, '1');
  const late = held(limit, 'a', begun, '2');
  await assert.rejects(held(limit, 'a', begun, '3').done, LimitReached);
  const refused = assert.rejects(late.done, LimitReached);
  await clock.advance(1_000);
  await refused;
  first.end();
  await first.done;
  const next = held(limit, 'a', begun, '4');
  assert.deepEqual(begun, ['1', '4']);
  next.end();
  await next.done;
});
