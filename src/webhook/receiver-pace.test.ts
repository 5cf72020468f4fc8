import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiverPace } from './receiver-pace.ts';

const quick = { acknowledged: true, durationMs: 5 };

test('a quick receiver is claimed ahead for, more with each success, up to a bound', () => {
  const pace = new ReceiverPace();
  assert.equal(pace.ahead('a'), 0);
  const seen = Array.from({ length: 6 }, () => {
    assert.equal(pace.note('a', quick), true);
    return pace.ahead('a');
  });
  assert.deepEqual(seen, [4, 8, 16, 28, 28, 28]);
});

for (const [what, attempt] of Object.entries({
  'a failure': { acknowledged: false, durationMs: 1 },
  'a slow answer': { acknowledged: true, durationMs: 500 },
})) {
  test(`${what} ends the claiming ahead`, () => {
    const pace = new ReceiverPace();
    pace.note('a', quick);
    assert.equal(pace.note('a', attempt), false);
    assert.equal(pace.ahead('a'), 0);
  });
}
