import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accuracyOf } from './accuracy.ts';

const gibibyte = 2 ** 30;

test('Whisper small is taken where every worker has memory for it, unless the setting says otherwise', () => {
  const level = (workers: number, gibibytes: number) =>
    accuracyOf({ accuracy: undefined, workers }, gibibytes * gibibyte);
  assert.deepEqual([level(2, 7.7), level(4, 15.5), level(1, 3.8)], ['exact', 'exact', 'exact']);
  assert.deepEqual([level(2, 3.8), level(8, 15.5), level(1, 1.9)], ['balanced', 'balanced', 'balanced']);
  assert.equal(accuracyOf({ accuracy: 'fast', workers: 1 }, 64 * gibibyte), 'fast');
  assert.equal(accuracyOf({ accuracy: 'exact', workers: 8 }, gibibyte), 'exact');
});
