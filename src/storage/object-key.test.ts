import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accountOfUploadKey, isObjectKey, transcriptionOfWorkKey, uploadKey, workKey } from './object-key.ts';

const account = '0b8f2c9e-8c43-4e8e-9a61-000000000001';
const other = '5f4c9f0e-1111-4222-8333-444455556666';

test('an upload key tells its account, a work key its job', () => {
  assert.equal(accountOfUploadKey(uploadKey(account, other)), account);
  assert.equal(transcriptionOfWorkKey(workKey(other, 'audio.s16le')), other);
  assert.equal(accountOfUploadKey(workKey(other, 'audio.s16le')), undefined);
  assert.equal(transcriptionOfWorkKey(uploadKey(account, other)), undefined);
});

test('nothing that could leave its directory is a key', () => {
  for (const text of [
    '',
    '.',
    '..',
    '/',
    '/etc/passwd',
    `uploads/${account}`,
    `uploads/${account}/`,
    `uploads/${account}/..`,
    `uploads/${account}/${other}/`,
    `uploads/${account}/${other}/x`,
    `uploads/${account}/../${other}`,
    `uploads/${account}/${other}\n`,
    `uploads/${account.toUpperCase()}/${other}`,
    `uploads//${other}`,
    `/uploads/${account}/${other}`,
    `work/${other}/..`,
    `work/${other}/.hidden`,
    `work/${other}/a/b`,
    `work/${other}/A`,
    `work/${other}/${'a'.repeat(65)}`,
    `uploads\\${account}\\${other}`,
  ]) {
    assert.equal(isObjectKey(text), false, JSON.stringify(text));
    assert.equal(accountOfUploadKey(text), undefined);
  }
  assert.throws(() => workKey(other, '../x'));
  assert.throws(() => uploadKey('me', other));
});
