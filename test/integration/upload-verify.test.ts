/** What a job may be created from: every refusal is reachable on both storages, in the decided order. */
import assert from 'node:assert/strict';
import { truncate } from 'node:fs/promises';
import type { Account } from '../../src/account/account.ts';
import type { UploadReference } from '../../src/contract/transcription.ts';
import { uploadKey } from '../../src/storage/object-key.ts';
import { uploadStore } from '../../src/upload/upload-store.ts';
import { verifyUpload } from '../../src/upload/verify-upload.ts';
import { principalOf } from '../support/principal.ts';
import { s3ClientFor } from '../support/s3-server.ts';
import { onBothStorages, type StorageContext } from '../support/storage-suite.ts';
import { type Prepared, putAllParts, putSingle } from '../support/upload-client.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const mebibyte = 1024 * 1024;
const bytes = wavBytes(1);

type OwnReference = UploadReference & { account: Account };

const verify = (context: StorageContext, { account, ...reference }: OwnReference) =>
  verifyUpload(context, principalOf(account), reference);

function referenceTo(context: StorageContext, prepared: Prepared, sizeBytes = bytes.length): OwnReference {
  const { key, storage } = prepared;
  return { account: context.account, key, storage, sizeBytes, filename: 'talk.wav', contentType: null };
}

async function uploaded(context: StorageContext, body = bytes, filename = 'talk.wav'): Promise<Prepared> {
  const prepared = await context.client.prepareSingle(body.length, filename);
  assert.equal((await putSingle(prepared, body)).status, 200);
  return prepared;
}

onBothStorages('verification', (storageCase) => {
  storageCase('an upload is found again with what is really stored', async (context) => {
    const prepared = await uploaded(context);
    const verified = await verify(context, referenceTo(context, prepared));
    assert.equal(verified.key, prepared.key);
    assert.equal(verified.storage, context.storage);
    assert.equal(verified.sizeBytes, bytes.length);
    assert.equal(verified.filename, 'talk.wav');
    assert.equal(verified.contentType, 'audio/wav');
  });

  storageCase(
    'a completed multipart upload is usable, an unfinished or aborted one is not',
    async (context) => {
      const large = wavBytes(600);
      const prepared = await context.client.prepareMultipart(large.length);
      const parts = await putAllParts(prepared, large);
      const reference = referenceTo(context, prepared, large.length);
      await assert.rejects(verify(context, reference), { code: 'upload_not_found' });
      assert.equal((await context.client.complete(prepared, parts)).status, 200);
      assert.equal((await verify(context, reference)).sizeBytes, large.length);
      const other = await context.client.prepareMultipart(large.length);
      assert.equal((await context.client.abort(other)).status, 204);
      await assert.rejects(verify(context, referenceTo(context, other, large.length)), {
        code: 'upload_not_found',
      });
    },
  );

  storageCase("another account's key is refused before the store is asked", async (context) => {
    const prepared = await uploaded(context);
    const { account } = await context.createAccount('pro');
    const reference = { ...referenceTo(context, prepared), account };
    await assert.rejects(verify(context, reference), { code: 'upload_not_owned' });
    const unknown = { ...reference, key: uploadKey(context.account.id, crypto.randomUUID()) };
    await assert.rejects(verify(context, unknown), { code: 'upload_not_owned' });
  });

  storageCase('what was never prepared, never sent, or prepared elsewhere is not found', async (context) => {
    const unsent = await context.client.prepareSingle(bytes.length);
    const sent = await uploaded(context);
    const references: OwnReference[] = [
      referenceTo(context, unsent),
      { ...referenceTo(context, sent), key: uploadKey(context.account.id, crypto.randomUUID()) },
      { ...referenceTo(context, sent), key: 'no key of ours' },
      { ...referenceTo(context, sent), key: `${sent.key}/../../x` },
      { ...referenceTo(context, sent), storage: context.storage === 's3' ? 'local' : 's3' },
    ];
    for (const reference of references) {
      await assert.rejects(verify(context, reference), { code: 'upload_not_found' }, reference.key);
    }
  });

  storageCase('a stored object without bytes is empty, whatever size is stated', async (context) => {
    const prepared = await uploaded(context);
    await emptyObject(context, prepared.key);
    await assert.rejects(verify(context, referenceTo(context, prepared)), { code: 'empty_upload' });
    await assert.rejects(verify(context, referenceTo(context, prepared, 9 * 1024 * mebibyte)), {
      code: 'empty_upload',
    });
  });

  storageCase('a stated size that differs from the stored one is refused', async (context) => {
    const prepared = await uploaded(context);
    for (const size of [1, bytes.length - 1, bytes.length + 1]) {
      const reference = referenceTo(context, prepared, size);
      await assert.rejects(verify(context, reference), { code: 'invalid_upload' });
    }
  });

  storageCase('a file larger than the plan allows by now is refused', async (context) => {
    const prepared = await uploaded(context);
    const plan = { ...context.account.plan, fileBytesMax: bytes.length - 1 };
    const reference = { ...referenceTo(context, prepared), account: { ...context.account, plan } };
    await assert.rejects(verify(context, reference), { code: 'file_too_large' });
  });

  storageCase('the stored bytes have the last word on the type', async (context) => {
    for (const text of [
      '#EXTM3U\nfile:///etc/passwd\n',
      'x',
      '<html>not media</html>',
      '\0'.repeat(70_000),
    ]) {
      const body = Buffer.from(text);
      const prepared = await uploaded(context, body);
      await assert.rejects(verify(context, referenceTo(context, prepared, body.length)), {
        code: 'unsupported_type',
      });
    }
    const prepared = await uploaded(context);
    for (const [filename, contentType] of [
      ['talk.txt', null],
      ['talk.wav', 'text/plain'],
      ['list.m3u8', 'audio/wav'],
    ] as const) {
      const reference = { ...referenceTo(context, prepared), filename, contentType };
      await assert.rejects(verify(context, reference), { code: 'unsupported_type' }, filename);
    }
  });

  storageCase('an upload serves several jobs, and none once it was discarded', async (context) => {
    const prepared = await uploaded(context);
    const verified = await verify(context, referenceTo(context, prepared));
    const use = { uploadId: verified.id, at: context.clock.date() };
    for (let job = 0; job < 2; job += 1) {
      const transcriptionId = await insertTranscription(context);
      assert.equal(await uploadStore.use(context.db, { ...use, transcriptionId }), true);
    }
    assert.equal((await verify(context, referenceTo(context, prepared))).id, verified.id);
    const given = await uploaded(context);
    const other = await verify(context, referenceTo(context, given));
    assert.equal(await uploadStore.discard(context.db, { id: other.id, at: context.clock.date() }), true);
    const late = { ...use, uploadId: other.id, transcriptionId: crypto.randomUUID() };
    assert.equal(await uploadStore.use(context.db, late), false);
    await assert.rejects(verify(context, referenceTo(context, given)), { code: 'upload_not_found' });
  });
});

async function insertTranscription({ db, account }: StorageContext): Promise<string> {
  const id = crypto.randomUUID();
  await db.query(
    `insert into transcription (id, account_id, filename, source, options) values ($1, $2, 'talk.wav', '{}', '{}')`,
    [id, account.id],
  );
  return id;
}

/** As a fault of the disk, or someone with access to the bucket, would leave it: the signature allows no empty PUT. */
async function emptyObject({ local, s3 }: StorageContext, key: string): Promise<void> {
  if (!s3) return truncate(local.objectPath(key));
  const client = s3ClientFor(s3);
  await client.putObject({ Bucket: s3.bucket, Key: key, Body: '' });
  client.destroy();
}
