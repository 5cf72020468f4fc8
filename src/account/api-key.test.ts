import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKeyHash, generateApiKey, hasApiKeyShape, hasValidChecksum } from './api-key.ts';

test('a generated key is lh_ and 36 base62 characters, and no two are the same', () => {
  const keys = new Set(Array.from({ length: 200 }, generateApiKey));
  assert.equal(keys.size, 200);
  for (const key of keys) {
    assert.match(key, /^lh_[0-9A-Za-z]{36}$/);
    assert.ok(hasValidChecksum(key));
  }
});

test('every single changed character breaks the checksum', () => {
  const key = generateApiKey();
  for (let at = 3; at < key.length; at += 1) {
    const changed = key[at] === 'a' ? 'b' : 'a';
    assert.ok(!hasValidChecksum(key.slice(0, at) + changed + key.slice(at + 1)), `character ${at}`);
  }
});

test('what does not look like a key has neither shape nor checksum', () => {
  for (const text of [
    '',
    'lh_',
    `lh_${'a'.repeat(35)}`,
    `lh_${'a'.repeat(37)}`,
    `LH_${'a'.repeat(36)}`,
    `lh_${'-'.repeat(36)}`,
  ]) {
    assert.ok(!hasApiKeyShape(text) && !hasValidChecksum(text), text);
  }
});

test('the checksum is CRC32 of the entropy in base62, high digit first', () => {
  // crc32 of thirty zeros is 2011552642, in base62 2C8GjS: calculated with another program.
  assert.ok(hasValidChecksum(`lh_${'0'.repeat(30)}2C8GjS`));
});

test('only a SHA-256 of the key is kept', () => {
  assert.equal(
    apiKeyHash('abc').toString('hex'),
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});
