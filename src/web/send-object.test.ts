import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rangeOf } from './send-object.ts';

test('a range is what its header says, never beyond the object', () => {
  assert.deepEqual(rangeOf('bytes=0-', 100), { start: 0, end: 99 });
  assert.deepEqual(rangeOf('bytes=10-19', 100), { start: 10, end: 19 });
  assert.deepEqual(rangeOf('bytes=90-500', 100), { start: 90, end: 99 });
  assert.deepEqual(rangeOf('bytes=-10', 100), { start: 90, end: 99 });
  assert.deepEqual(rangeOf('bytes=-500', 100), { start: 0, end: 99 });
});

test('what lies behind the end is refused, what is no single range means the whole', () => {
  for (const header of ['bytes=100-', 'bytes=20-10', 'bytes=-0'])
    assert.equal(rangeOf(header, 100), 'unsatisfiable');
  for (const header of [undefined, '', 'bytes=-', 'bytes=0-1,5-6', 'items=0-1', 'bytes=a-b'])
    assert.equal(rangeOf(header, 100), undefined);
  assert.equal(rangeOf('bytes=0-', 0), 'unsatisfiable');
});
