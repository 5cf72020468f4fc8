import assert from 'node:assert/strict';
import { test } from 'node:test';
import { laneOf, positionOf, prioritiesOf, priorityOf } from './task-lane.ts';
import { Turns } from './turns.ts';

/** The lanes that are served when each task ends before the next is taken. */
function served(turns: Turns, waiting: Map<number, number>, count: number): (number | undefined)[] {
  return Array.from({ length: count }, () => {
    const lane = turns.next(
      [...waiting].flatMap(([one, tasks]) => (tasks > 0 ? [one] : [])),
      0,
    );
    if (lane === undefined) return undefined;
    waiting.set(lane, (waiting.get(lane) ?? 0) - 1);
    turns.started(lane);
    turns.ended(lane);
    return lane;
  });
}

test('lanes take turns however many tasks each has', () => {
  const waiting = new Map([
    [1, 1000],
    [2, 2],
    [3, 1000],
  ]);
  assert.deepEqual(served(new Turns(), waiting, 8), [1, 2, 3, 1, 2, 3, 1, 3]);
});

test('a lane that was never served goes before one that was', () => {
  const turns = new Turns();
  served(turns, new Map([[1, 1000]]), 5);
  assert.equal(turns.next([1, 2], 0), 2);
});

test('the lane with fewer running tasks goes first, and none has more than its share', () => {
  const turns = new Turns(2);
  turns.started(1);
  turns.started(2);
  turns.started(1);
  turns.ended(2);
  assert.equal(turns.next([1, 2], 0), 2);
  assert.equal(turns.next([1], 0), undefined);
  assert.deepEqual([turns.free(1), turns.free(2)], [0, 2]);
  turns.ended(1);
  assert.equal(turns.next([1], 0), 1);
});

test('a lane that is avoided is left alone until its time', () => {
  const turns = new Turns();
  turns.avoid(1, 1000);
  assert.equal(turns.next([1], 999), undefined);
  assert.equal(turns.next([1, 2], 999), 2);
  assert.equal(turns.next([1], 1000), 1);
});

test('lane and position are one integer: lanes apart, a lower position first, all within 32 bits', () => {
  for (const lane of [0, 1, 65_535]) {
    for (const position of [0, 1, 32_767]) {
      const priority = priorityOf(lane, position);
      assert.deepEqual([laneOf(priority), positionOf(priority)], [lane, position]);
      const { minPriority, maxPriority } = prioritiesOf(lane);
      assert.ok(minPriority <= priority && priority <= maxPriority && priority < 2 ** 31);
    }
  }
  assert.ok(priorityOf(3, 5) > priorityOf(3, 6));
  assert.equal(priorityOf(3, 40_000), priorityOf(3, 32_767));
  assert.equal(laneOf(priorityOf(65_536 + 7, 0)), 7);
});
