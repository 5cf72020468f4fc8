import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stretches } from './sherpa-listener.ts';

test('a stretch of a larger speaker model stays inside its chunk, and a long one is cut into equal parts', () => {
  const chunk = { startSample: 160_000, endSample: 480_000 };
  assert.deepEqual(stretches(chunk, { start: 1, end: 3 }), [{ startSample: 176_000, endSample: 208_000 }]);
  const parts = stretches(chunk, { start: 8, end: 99 });
  assert.equal(parts.length, 2);
  assert.deepEqual(
    [parts[0]?.startSample, parts[0]?.endSample, parts[1]?.endSample],
    [288_000, 384_000, 480_000],
  );
  assert.deepEqual(stretches(chunk, { start: 30, end: 31 }), []);
});
