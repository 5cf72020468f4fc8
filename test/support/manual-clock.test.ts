import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from './manual-clock.ts';

test('time stands still until it is moved', async () => {
  const clock = new ManualClock(1_000);
  assert.equal(clock.now(), 1_000);
  await clock.advance(500);
  assert.equal(clock.now(), 1_500);
  assert.equal(clock.date().getTime(), 1_500);
});

test('sleepers wake in the order in which they fall due, each at its own time', async () => {
  const clock = new ManualClock(0);
  const woken: [string, number][] = [];
  void clock.sleep(30).then(() => woken.push(['late', clock.now()]));
  void clock.sleep(10).then(() => woken.push(['early', clock.now()]));
  await clock.advance(29);
  assert.deepEqual(woken, [['early', 10]]);
  await clock.advance(1);
  assert.deepEqual(woken, [
    ['early', 10],
    ['late', 30],
  ]);
  assert.equal(clock.waiting, 0);
});

test('one advance carries a loop of sleeps through', async () => {
  const clock = new ManualClock(0);
  let turns = 0;
  const loop = (async () => {
    for (; turns < 5; turns += 1) await clock.sleep(100);
  })();
  await clock.advance(500);
  await loop;
  assert.equal(turns, 5);
});

test('an aborted sleep rejects with the reason and leaves nothing behind', async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(1_000, controller.signal);
  controller.abort(new Error('stop'));
  await assert.rejects(sleeping, /stop/);
  assert.equal(clock.waiting, 0);
  await assert.rejects(clock.sleep(1, controller.signal), /stop/);
});

test('a timeout aborts with a TimeoutError when its time comes and not before', async () => {
  const clock = new ManualClock();
  const signal = clock.timeout(50);
  await clock.advance(49);
  assert.equal(signal.aborted, false);
  await clock.advance(1);
  assert.equal(signal.aborted, true);
  assert.equal(signal.reason.name, 'TimeoutError');
});

test('a repeated tick comes every interval until it is stopped, also from within', async () => {
  const clock = new ManualClock();
  let outside = 0;
  let inside = 0;
  const stopOutside = clock.every(10, () => {
    outside += 1;
  });
  const stopInside = clock.every(10, () => {
    inside += 1;
    if (inside === 2) stopInside();
  });
  await clock.advance(35);
  assert.deepEqual([outside, inside], [3, 2]);
  stopOutside();
  await clock.advance(100);
  assert.deepEqual([outside, inside], [3, 2]);
  assert.equal(clock.waiting, 0);
});
