import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiverPace } from './receiver-pace.ts';

const quick = { acknowledged: true, durationMs: 5 };

test('a quick receiver is claimed ahead for, more with each success, up to a bound', () => {
  const pace = new ReceiverPace(3);
  assert.equal(pace.ahead('a'), 0);
  const seen = Array.from({ length: 6 }, () => {
    assert.equal(pace.note('a', quick), true);
    return pace.ahead('a');
  });
  assert.deepEqual(seen, [4, 8, 16, 32, 60, 60]);
});

test('no more is claimed ahead than its places send in a fifth of a second', () => {
  const pace = new ReceiverPace(3);
  for (let answer = 0; answer < 10; answer += 1) pace.note('a', { acknowledged: true, durationMs: 50 });
  assert.equal(pace.ahead('a'), 12);
});

test('what a kill may repeat is the places at first, later at most a fortieth of what was acknowledged', () => {
  const pace = new ReceiverPace(3);
  for (let acknowledged = 0; acknowledged < 3_000; acknowledged += 1) {
    const window = pace.window('a');
    assert.ok(window === 3 || window <= acknowledged / 40, `${window} after ${acknowledged}`);
    pace.note('a', quick);
  }
  assert.equal(pace.window('a'), 48);
  assert.equal(pace.window('another'), 3);
  pace.forget('a');
  assert.equal(pace.window('a'), 3);
});

for (const [what, attempt] of Object.entries({
  'a failure': { acknowledged: false, durationMs: 1 },
  'a slow answer': { acknowledged: true, durationMs: 500 },
})) {
  test(`${what} ends the running ahead`, () => {
    const pace = new ReceiverPace(3);
    for (let answer = 0; answer < 1_000; answer += 1) pace.note('a', quick);
    assert.equal(pace.note('a', attempt), false);
    assert.equal(pace.ahead('a'), 0);
    assert.equal(pace.window('a'), 3);
  });
}
