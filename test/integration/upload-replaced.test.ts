/** What was verified is what is transcribed: a signed URL cannot change an upload that a job uses. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { uploadStore } from '../../src/upload/upload-store.ts';
import { type VerifiedUpload, verifyUpload } from '../../src/upload/verify-upload.ts';
import { principalOf } from '../support/principal.ts';
import { onBothStorages, type StorageContext } from '../support/storage-suite.ts';
import {
  type MultipartUpload,
  type Prepared,
  putAllParts,
  putSingle,
  type SingleUpload,
} from '../support/upload-client.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const first = wavBytes(1);
/** Of the same length, and media too. */
const second = Buffer.from(first).fill(1, 1000);

/** As the creation of a job does it: verified, then tied to the job in its transaction. */
async function createJob(
  context: StorageContext,
  { key, storage }: Prepared,
  sizeBytes: number,
): Promise<VerifiedUpload> {
  const reference = { key, storage, sizeBytes, filename: 'talk.wav', contentType: null };
  const verified = await verifyUpload(context, principalOf(context.account), reference);
  const transcriptionId = randomUUID();
  await context.db.transaction(async (tx) => {
    await tx.query(
      `insert into transcription (id, account_id, filename, source, options) values ($1, $2, 'a', '{}', '{}')`,
      [transcriptionId, context.account.id],
    );
    const use = { uploadId: verified.id, transcriptionId, at: context.clock.date() };
    assert.ok(await uploadStore.use(tx, use));
  });
  return verified;
}

/** As a job does it. */
async function readVerified({ store }: StorageContext, { key, etag }: VerifiedUpload): Promise<Buffer> {
  return buffer(await store.read(key, { etag }));
}

async function uploaded(context: StorageContext): Promise<Prepared<SingleUpload>> {
  const prepared = await context.client.prepareSingle(first.length);
  assert.equal((await putSingle(prepared, first)).status, 200);
  return prepared;
}

/** The local storage refuses the bytes; S3 cannot, so the job finds out when it reads. */
async function expectNotReplaced(
  context: StorageContext,
  verified: VerifiedUpload,
  second: { status: number; body: string },
): Promise<void> {
  if (context.storage === 'local') {
    assert.equal(second.status, 403);
    assert.match(second.body, /<Code>AccessDenied<\/Code>.*A job uses this upload/s);
    assert.ok(first.equals(await readVerified(context, verified)));
  } else {
    assert.equal(second.status, 200);
    await assert.rejects(readVerified(context, verified), { name: 'ObjectChanged' });
  }
}

onBothStorages('an upload that a job uses', (storageCase) => {
  for (const round of [1, 2, 3, 4, 5]) {
    storageCase(`is not replaced by a second PUT (${round} of 5)`, async (context) => {
      const prepared = await uploaded(context);
      const verified = await createJob(context, prepared, first.length);
      const again = await putSingle(prepared, second);
      await expectNotReplaced(context, verified, { status: again.status, body: await again.text() });
    });
  }

  storageCase('is not replaced by a PUT that began before the job', async (context) => {
    const prepared = await uploaded(context);
    const { url, headers } = prepared.upload;
    const put = request(url, { method: 'PUT', headers: { ...headers, 'content-length': second.length } });
    put.write(second.subarray(0, 500));
    const verified = await createJob(context, prepared, first.length);
    put.end(second.subarray(500));
    const [answer] = await once(put, 'response');
    await expectNotReplaced(context, verified, { status: answer.statusCode, body: await text(answer) });
  });

  storageCase('can be sent again before that, and the job has the last bytes', async (context) => {
    const prepared = await uploaded(context);
    assert.equal((await putSingle(prepared, second)).status, 200);
    const verified = await createJob(context, prepared, second.length);
    assert.ok(second.equals(await readVerified(context, verified)));
  });

  storageCase('is read by its parts, also twice', async (context) => {
    const large = wavBytes(600);
    const prepared: Prepared<MultipartUpload> = await context.client.prepareMultipart(large.length);
    const parts = await putAllParts(prepared, large);
    assert.equal((await context.client.complete(prepared, parts)).status, 200);
    const verified = await createJob(context, prepared, large.length);
    for (let reading = 0; reading < 2; reading += 1) {
      assert.ok(large.equals(await readVerified(context, verified)));
    }
  });
});
