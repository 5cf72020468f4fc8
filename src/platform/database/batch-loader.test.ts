import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BatchLoader } from './batch-loader.ts';

/** Batches that end when told to. */
function world() {
  const batches: { keys: string[]; end: PromiseWithResolvers<Map<string, number>> }[] = [];
  const loader = new BatchLoader<string, number>((keys) => {
    const end = Promise.withResolvers<Map<string, number>>();
    batches.push({ keys, end });
    return end.promise;
  });
  const begun = async (count: number) => {
    for (let turn = 0; turn < 100 && batches.length < count; turn += 1) await Promise.resolve();
    assert.equal(batches.length, count);
  };
  return { loader, batches, begun };
}

test('whoever asks while a batch is under way shares one that begins afterwards', async () => {
  const { loader, batches, begun } = world();
  const first = loader.load('a');
  await begun(1);
  const later = [loader.load('a'), loader.load('b'), loader.load('c')];
  batches[0]?.end.resolve(new Map([['a', 1]]));
  assert.equal(await first, 1);
  await begun(2);
  assert.deepEqual(batches[1]?.keys, ['a', 'b', 'c']);
  batches[1]?.end.resolve(
    new Map([
      ['a', 2],
      ['b', 3],
    ]),
  );
  assert.deepEqual(await Promise.all(later), [2, 3, undefined]);
});

test('a batch that fails fails for those who share it, and not for the next', async () => {
  const { loader, batches, begun } = world();
  const first = loader.load('a');
  await begun(1);
  const next = loader.load('b');
  batches[0]?.end.reject(new Error('away'));
  await assert.rejects(first, /away/);
  await begun(2);
  batches[1]?.end.resolve(new Map([['b', 1]]));
  assert.equal(await next, 1);
});
