/** From prepare to a finished job over HTTP, on both storages, with fetch alone. */
import assert from 'node:assert/strict';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ApiClient, newClient } from '../support/api-client.ts';
import {
  createTestBucket,
  type S3Settings,
  s3ClientFor,
  s3Environment,
  skipWithoutS3,
} from '../support/s3-server.ts';
import { longhand, runService, type TestService, temporaryDataDir } from '../support/service.ts';
import {
  type MultipartUpload,
  type Prepared,
  putAllParts,
  putSingle,
  type SingleUpload,
} from '../support/upload-client.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const mebibyte = 1024 * 1024;

/** A plan for large files, and one on which nothing of these tests is small enough. */
const plans = {
  pro: {
    file_bytes_max: 5 * 1024 * mebibyte,
    media_seconds_max: 36_000,
    daily_transcriptions_max: 500,
    speaker_diarization: true,
  },
  tiny: {
    file_bytes_max: 1000,
    media_seconds_max: 36_000,
    daily_transcriptions_max: 500,
    speaker_diarization: false,
  },
};

for (const storage of ['local', 's3'] as const) {
  describe(`an upload becomes a job on ${storage}`, { skip: storage === 's3' && skipWithoutS3 }, () => {
    const endings: (() => Promise<void>)[] = [];
    let service: TestService;
    let client: ApiClient;
    let bucket: S3Settings | undefined;

    before(async () => {
      const hooks = { after: (work: () => Promise<void>) => endings.push(work) };
      bucket = storage === 's3' ? await createTestBucket(hooks) : undefined;
      const planFile = join(await temporaryDataDir(hooks), 'plans.json');
      await writeFile(planFile, JSON.stringify(plans));
      service = await runService(hooks, {
        LONGHAND_STORAGE: storage,
        LONGHAND_PLANS: planFile,
        LONGHAND_MULTIPART_THRESHOLD: String(16 * mebibyte),
        ...(bucket ? s3Environment(bucket) : {}),
      });
      client = await newClient(service);
    });
    after(async () => {
      for (const end of endings.toReversed()) await end();
    });

    async function prepared<Kind>(size: number): Promise<Prepared<Kind>> {
      const { status, body } = await client.post('/api/v1/uploads', { filename: 'quiet.wav', size });
      assert.equal(status, 200, JSON.stringify(body));
      return body.data;
    }

    async function uploaded(bytes: Buffer<ArrayBuffer>): Promise<Prepared<SingleUpload>> {
      const target = await prepared<SingleUpload>(bytes.length);
      assert.equal((await putSingle(target, bytes)).status, 200);
      return target;
    }

    function create(target: { key: string; storage: string }, size: number, by = client) {
      const upload = { filename: 'quiet.wav', key: target.key, storage: target.storage, size };
      return by.post('/api/v1/transcriptions', { upload });
    }

    async function refused(
      target: { key: string; storage: string },
      size: number,
      status: number,
      code: string,
    ) {
      const answer = await create(target, size);
      assert.deepEqual([answer.status, answer.body.error.code], [status, code]);
    }

    test('a single PUT, then twice a job from the same upload', async () => {
      const bytes = wavBytes(2, 0);
      const target = await uploaded(bytes);
      assert.equal(target.storage, storage);
      for (let job = 0; job < 2; job += 1) {
        const created = await create(target, bytes.length);
        assert.equal(created.status, 202, JSON.stringify(created.body));
        const { data } = (await client.ended(created.body.data.id)).body;
        assert.deepEqual([data.status, data.text, data.filename], ['completed', '', 'quiet.wav']);
        assert.equal(data.duration_seconds, 2);
      }
    });

    test('a multipart upload is of use once it is completed', async () => {
      const bytes = wavBytes(550, 0);
      const target = await prepared<MultipartUpload>(bytes.length);
      const parts = await putAllParts(target, bytes);
      await refused(target, bytes.length, 404, 'upload_not_found');
      const session = { key: target.key, storage: target.storage, upload_id: target.upload.upload_id };
      const completed = await client.post('/api/v1/uploads/multipart', { ...session, parts });
      assert.deepEqual(completed.body, { data: { key: target.key, storage } });
      const created = await create(target, bytes.length);
      assert.equal(created.status, 202);
      const { data } = (await client.ended(created.body.data.id)).body;
      assert.deepEqual([data.status, data.duration_seconds], ['completed', 550]);
    });

    test('an aborted upload is gone', async () => {
      const bytes = wavBytes(550);
      const target = await prepared<MultipartUpload>(bytes.length);
      await putAllParts(target, bytes);
      const session = { key: target.key, storage: target.storage, upload_id: target.upload.upload_id };
      for (let round = 0; round < 2; round += 1) {
        const aborted = await client.send('DELETE', '/api/v1/uploads/multipart', session);
        assert.deepEqual([aborted.status, aborted.body], [204, undefined]);
      }
      await refused(target, bytes.length, 404, 'upload_not_found');
    });

    test('each fault of an upload has its code', async () => {
      const bytes = wavBytes(1);
      const good = await uploaded(bytes);
      const stranger = await newClient(service);
      const foreign = await create(good, bytes.length, stranger);
      assert.deepEqual([foreign.status, foreign.body.error.code], [403, 'upload_not_owned']);
      await refused(await prepared(bytes.length), bytes.length, 404, 'upload_not_found');
      await refused({ ...good, key: good.key.slice(0, -1) }, bytes.length, 404, 'upload_not_found');
      await refused(good, bytes.length + 1, 400, 'invalid_upload');
      await refused({ ...good, storage: 'elsewhere' }, bytes.length, 400, 'invalid_upload');
      const text = Buffer.from('This is no media at all.');
      await refused(await uploaded(text), text.length, 415, 'unsupported_type');
      const emptied = await uploaded(bytes);
      await emptyObject(emptied.key);
      await refused(emptied, bytes.length, 400, 'empty_upload');
    });

    test('a file that the plan does not allow any more is too large', async () => {
      const bytes = wavBytes(1);
      const { environment, url } = service;
      const run = async (...args: string[]) =>
        JSON.parse((await longhand(environment, ...args, '--json')).stdout);
      const account = await run('account', 'create', 'shrinking', '--plan', 'pro');
      const { key } = await run('key', 'create', '--account', account.id);
      const owner = new ApiClient(url, key);
      const { body } = await owner.post('/api/v1/uploads', { filename: 'quiet.wav', size: bytes.length });
      assert.equal((await putSingle(body.data, bytes)).status, 200);
      await run('account', 'plan', account.id, 'tiny');
      const answer = await create(body.data, bytes.length, owner);
      assert.deepEqual([answer.status, answer.body.error.code], [413, 'file_too_large']);
    });

    /** As a fault of the disk would leave it: no signed URL allows an empty PUT. */
    async function emptyObject(key: string): Promise<void> {
      if (!bucket)
        return truncate(join(service.environment.LONGHAND_DATA_DIR ?? '', 'objects', 'objects', key));
      const s3 = s3ClientFor(bucket);
      await s3.putObject({ Bucket: bucket.bucket, Key: key, Body: Buffer.alloc(0) });
      s3.destroy();
    }
  });
}
