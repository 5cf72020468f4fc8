/** A file in the body of a request, on both storages. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Account } from '../../src/account/account.ts';
import { type ReceivedFile, receiveUpload } from '../../src/upload/receive-upload.ts';
import { uploadStore } from '../../src/upload/upload-store.ts';
import { verifyUpload } from '../../src/upload/verify-upload.ts';
import { inPieces } from '../support/audio.ts';
import { principalOf } from '../support/principal.ts';
import { onBothStorages, type StorageContext } from '../support/storage-suite.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const bytes = wavBytes(600);

function receive(context: StorageContext, file: Partial<ReceivedFile> = {}, account = context.account) {
  const whole = { filename: 'talk.wav', contentType: null, body: inPieces(bytes), ...file };
  return receiveUpload(context, principalOf(account), whole);
}

function withPlan(account: Account, plan: Partial<Account['plan']>): Account {
  return { ...account, plan: { ...account.plan, ...plan } };
}

onBothStorages('a file in a request', (storageCase) => {
  storageCase('is stored whole, with its hash, and a job may use it', async (context) => {
    const { account } = await context.createAccount('pro');
    const { reference, contentHash } = await receive(context, {}, account);
    assert.equal(reference.sizeBytes, bytes.length);
    assert.deepEqual(contentHash, createHash('sha256').update(bytes).digest());
    assert.deepEqual(await buffer(await context.store.read(reference.key)), bytes);
    const verified = await verifyUpload(context, principalOf(account), reference);
    assert.equal(verified.contentType, 'audio/wav');
    const unused = await uploadStore.unused(context.db, account.id);
    assert.deepEqual(unused, { bytes: bytes.length, openUploads: 1 });
  });

  storageCase('leaves nothing when it is discarded', async (context) => {
    const { account } = await context.createAccount('pro');
    const { reference, discard } = await receive(context, { sizeBytesMax: bytes.length + 500 }, account);
    await discard();
    assert.equal(await context.store.head(reference.key), undefined);
    assert.deepEqual(await uploadStore.unused(context.db, account.id), { bytes: 0, openUploads: 0 });
    await discard();
  });

  storageCase('leaves nothing when its sender goes away, or it is no media or empty', async (context) => {
    const { account } = await context.createAccount('pro');
    async function* cutOff() {
      yield bytes.subarray(0, 100_000);
      throw new Error('the connection is gone');
    }
    await assert.rejects(receive(context, { body: cutOff() }, account), /the connection is gone/);
    await assert.rejects(receive(context, { filename: 'a.txt' }, account), { code: 'unsupported_type' });
    await assert.rejects(receive(context, { body: inPieces(Buffer.alloc(0)) }, account), {
      code: 'empty_upload',
    });
    assert.deepEqual(await uploadStore.unused(context.db, account.id), { bytes: 0, openUploads: 0 });
  });

  storageCase('ends where the plan does, also where nobody told its size', async (context) => {
    const { account } = await context.createAccount('pro');
    const small = withPlan(account, { fileBytesMax: 1_000_000 });
    await assert.rejects(receive(context, {}, small), { code: 'file_too_large' });
    await assert.rejects(receive(context, { sizeBytesMax: 500_000 }, small), { code: 'file_too_large' });
    const crowded = withPlan(account, { unclaimedBytesMax: 17 * 1024 * 1024 });
    await assert.rejects(receive(context, {}, crowded), { code: 'file_too_large' });
    assert.deepEqual(await uploadStore.unused(context.db, account.id), { bytes: 0, openUploads: 0 });
  });
});
