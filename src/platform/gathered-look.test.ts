import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GatheredLook } from './gathered-look.ts';

/** Looks that end when told to. */
function world() {
  const looks: { keys: string[]; end: PromiseWithResolvers<Map<string, number>> }[] = [];
  const gathered = new GatheredLook<string, number>((keys) => {
    const end = Promise.withResolvers<Map<string, number>>();
    looks.push({ keys, end });
    return end.promise;
  });
  const begun = async (count: number) => {
    for (let turn = 0; turn < 100 && looks.length < count; turn += 1) await Promise.resolve();
    assert.equal(looks.length, count);
  };
  return { gathered, looks, begun };
}

test('whoever asks while a look is under way shares one that begins afterwards', async () => {
  const { gathered, looks, begun } = world();
  const first = gathered.find('a');
  await begun(1);
  const later = [gathered.find('a'), gathered.find('b'), gathered.find('c')];
  looks[0]?.end.resolve(new Map([['a', 1]]));
  assert.equal(await first, 1);
  await begun(2);
  assert.deepEqual(looks[1]?.keys, ['a', 'b', 'c']);
  looks[1]?.end.resolve(
    new Map([
      ['a', 2],
      ['b', 3],
    ]),
  );
  assert.deepEqual(await Promise.all(later), [2, 3, undefined]);
});

test('a look that fails fails for those who share it, and not for the next', async () => {
  const { gathered, looks, begun } = world();
  const first = gathered.find('a');
  await begun(1);
  const next = gathered.find('b');
  looks[0]?.end.reject(new Error('away'));
  await assert.rejects(first, /away/);
  await begun(2);
  looks[1]?.end.resolve(new Map([['b', 1]]));
  assert.equal(await next, 1);
});
