import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Batch } from './batch.ts';

test('what comes while a batch is being written goes into one batch after it', async () => {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const batch = new Batch<number>(async (items) => {
    batches.push(items);
    await new Promise<void>((resolve) => gates.push(resolve));
  });
  const first = batch.add(1);
  await first.sent;
  const later = [2, 3, 4].map((item) => batch.add(item));
  assert.deepEqual(batches, [[1]]);
  gates.shift()?.();
  await first.written;
  await Promise.all(later.map(({ sent }) => sent));
  assert.deepEqual(batches, [[1], [2, 3, 4]]);
  gates.shift()?.();
  await Promise.all(later.map(({ written }) => written));
});

test('a batch that fails is told to those in it, and the next one is written', async () => {
  const batch = new Batch<string>(async ([item]) => {
    if (item === 'bad') throw new Error('no');
  });
  await assert.rejects(batch.add('bad').written, /no/);
  await batch.add('good').written;
});
