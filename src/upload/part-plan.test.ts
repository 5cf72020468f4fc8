import assert from 'node:assert/strict';
import { test } from 'node:test';
import { partSizeFor, partSizes } from './part-plan.ts';

const mebibyte = 1024 * 1024;

test('five gibibytes are 320 parts of 16 MiB', () => {
  const size = 5 * 1024 * mebibyte;
  assert.equal(partSizeFor(size), 16 * mebibyte);
  assert.deepEqual(new Set(partSizes(size, partSizeFor(size))), new Set([16 * mebibyte]));
  assert.equal(partSizes(size, partSizeFor(size)).length, 320);
});

test('all parts are equal but the last, and together they are the file', () => {
  for (const size of [1, 16 * mebibyte - 1, 16 * mebibyte, 16 * mebibyte + 1, 100 * mebibyte + 7]) {
    const sizes = partSizes(size, partSizeFor(size));
    assert.equal(
      sizes.reduce((sum, one) => sum + one, 0),
      size,
    );
    for (const one of sizes.slice(0, -1)) assert.equal(one, 16 * mebibyte);
    assert.ok((sizes.at(-1) ?? 0) > 0);
  }
});

test('a file too large for 10,000 parts of 16 MiB gets larger parts, in whole MiB', () => {
  for (const size of [10_000 * 16 * mebibyte + 1, 2 ** 42, 5 * 2 ** 40]) {
    const partSize = partSizeFor(size);
    assert.equal(partSize % mebibyte, 0);
    assert.ok(partSizes(size, partSize).length <= 10_000);
  }
});
