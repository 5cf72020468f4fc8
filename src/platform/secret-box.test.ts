import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { parseSecretKeys, SecretBox, SecretUnreadable } from './secret-box.ts';

const oldKey = randomBytes(32);
const newKey = randomBytes(32);

test('a sealed secret opens with the same key and context, and shows nothing of itself', () => {
  const box = new SecretBox([oldKey]);
  const sealed = box.seal('whsec_abc', 'row 1');
  assert.equal(box.open(sealed, 'row 1'), 'whsec_abc');
  assert.ok(!sealed.includes('whsec_abc'));
  assert.ok(!sealed.includes(Buffer.from('whsec_abc').toString('base64url')));
});

test('the same secret sealed twice gives two different texts', () => {
  const box = new SecretBox([oldKey]);
  assert.notEqual(box.seal('s', 'c'), box.seal('s', 'c'));
});

test('a sealed text moved to another row does not open there', () => {
  const box = new SecretBox([oldKey]);
  assert.throws(() => box.open(box.seal('s', 'row 1'), 'row 2'), SecretUnreadable);
});

test('a changed bit anywhere in the sealed bytes is noticed', () => {
  const box = new SecretBox([oldKey]);
  const [version, keyId, encoded = ''] = box.seal('secret', 'c').split('.');
  const bytes = Buffer.from(encoded, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    const text = `${version}.${keyId}.${changed.toString('base64url')}`;
    assert.throws(() => box.open(text, 'c'), SecretUnreadable, `byte ${at}`);
  }
});

test('after a rotation the newest key seals and the old one still opens', () => {
  const before = new SecretBox([oldKey]);
  const during = new SecretBox([newKey, oldKey]);
  assert.equal(during.open(before.seal('s', 'c'), 'c'), 's');
  const sealed = during.seal('s', 'c');
  assert.ok(sealed.startsWith(`v1.${new SecretBox([newKey]).newestKeyId}.`));
  assert.equal(new SecretBox([newKey]).open(sealed, 'c'), 's');
});

test('a key that was never configured opens nothing', () => {
  const sealed = new SecretBox([oldKey]).seal('s', 'c');
  assert.throws(() => new SecretBox([newKey]).open(sealed, 'c'), SecretUnreadable);
});

test('text that was never sealed is refused', () => {
  const box = new SecretBox([oldKey]);
  for (const text of ['', 'whsec_plain', 'v1..', `v1.${box.newestKeyId}.`, `v1.${box.newestKeyId}.AAAA`]) {
    assert.throws(() => box.open(text, 'c'), SecretUnreadable, JSON.stringify(text));
  }
});

test('the setting takes several base64 keys, newest first', () => {
  const keys = parseSecretKeys(`${newKey.toString('base64')}, ${oldKey.toString('base64')}`);
  assert.deepEqual(keys, [newKey, oldKey]);
});

test('a setting that is not 32 bytes of base64 is refused', () => {
  const short = randomBytes(16).toString('base64');
  for (const setting of ['', ',', 'secret', short, `${newKey.toString('base64')},${short}`, 'ä'.repeat(43)]) {
    assert.throws(() => parseSecretKeys(setting), /32 bytes/, JSON.stringify(setting));
  }
});
