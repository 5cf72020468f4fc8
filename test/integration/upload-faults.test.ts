/** Browsers, stores that are down, keys sent where they do not belong, and a change of storage. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import type { BucketLifecycleConfiguration, CORSRule } from '@aws-sdk/client-s3';
import { S3Store } from '../../src/storage/s3-store.ts';
import { verifyUpload } from '../../src/upload/verify-upload.ts';
import { onCleanup } from '../support/cleanup.ts';
import { principalOf } from '../support/principal.ts';
import { createTestBucket, s3ClientFor, skipWithoutS3 } from '../support/s3-server.ts';
import { onBothStorages } from '../support/storage-suite.ts';
import { partBytes, putAllParts, putSingle, UploadClient } from '../support/upload-client.ts';
import { startUploadService } from '../support/upload-service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const bytes = wavBytes(1);
const mebibyte = 1024 * 1024;

/** The JSON examples of docs/uploads.md, in their order: what an operator would paste. */
async function documentedExamples(): Promise<unknown[]> {
  const page = await readFile(join(import.meta.dirname, '../../docs/uploads.md'), 'utf8');
  return [...page.matchAll(/```json\n(.*?)```/gs)].map((block) => JSON.parse(block[1] ?? ''));
}

onBothStorages('browsers', (storageCase) => {
  storageCase('a page of any origin may PUT and read the ETag', async (context) => {
    if (context.s3) {
      const client = s3ClientFor(context.s3);
      const [rules] = (await documentedExamples()) as [CORSRule[]];
      await client.putBucketCors({ Bucket: context.s3.bucket, CORSConfiguration: { CORSRules: rules } });
      client.destroy();
    }
    const prepared = await context.client.prepareSingle(bytes.length);
    const origin = 'https://app.example.com';
    const preflight = await fetch(prepared.upload.url, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'content-type',
      },
    });
    assert.ok(preflight.ok, String(preflight.status));
    const allowed = (answer: Response) => answer.headers.get('access-control-allow-origin') ?? '';
    assert.ok(['*', origin].includes(allowed(preflight)));
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /PUT/);
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /content-type/i);
    const put = await fetch(prepared.upload.url, {
      method: 'PUT',
      headers: { ...prepared.upload.headers, origin },
      body: bytes,
    });
    assert.equal(put.status, 200);
    assert.ok(['*', origin].includes(allowed(put)));
    assert.match(put.headers.get('access-control-expose-headers') ?? '', /etag/i);
  });

  storageCase(
    'uploads of the other storage stay usable after a change of LONGHAND_STORAGE',
    async (context, t) => {
      const large = wavBytes(600);
      const single = await context.client.prepareSingle(bytes.length);
      const open = await context.client.prepareMultipart(large.length);
      assert.equal((await putSingle(single, bytes)).status, 200);
      const s3 = context.s3 ?? (skipWithoutS3 ? undefined : await createTestBucket(t));
      const changed = await startUploadService(t, {
        db: context.db,
        directory: context.directory,
        storage: context.storage === 's3' ? 'local' : s3 ? 's3' : 'local',
        ...(s3 ? { s3: (clock) => new S3Store({ ...s3, clock }) } : {}),
        multipartThresholdBytes: 16 * mebibyte,
      });
      const parts = await putAllParts(open, large);
      const client = context.client.at(changed.url);
      if (s3) assert.notEqual((await client.prepareSingle(1)).storage, context.storage);
      assert.equal((await client.complete(open, parts)).status, 200);
      for (const [prepared, sizeBytes] of [
        [single, bytes.length],
        [open, large.length],
      ] as const) {
        const { key, storage } = prepared;
        const reference = {
          key,
          storage,
          sizeBytes,
          filename: 'a.wav',
          contentType: null,
        };
        assert.equal(
          (await verifyUpload(changed, principalOf(context.account), reference)).storage,
          context.storage,
        );
      }
    },
  );
});

describe('the local storage', () => {
  test('refuses a request that carries an Authorization header', async (t) => {
    const service = await startUploadService(t);
    const { headers } = await service.createAccount('free');
    const prepared = await new UploadClient(service.url, headers).prepareSingle(bytes.length);
    const put = await fetch(prepared.upload.url, {
      method: 'PUT',
      headers: { ...prepared.upload.headers, ...headers },
      body: bytes,
    });
    assert.equal(put.status, 400);
    assert.match(await put.text(), /<Code>InvalidArgument<\/Code>/);
    assert.equal(await service.local.head(prepared.key), undefined);
  });

  test('checks a Content-MD5 when one is sent', async (t) => {
    const service = await startUploadService(t);
    const { headers } = await service.createAccount('free');
    const prepared = await new UploadClient(service.url, headers).prepareSingle(bytes.length);
    const put = (md5: string) =>
      fetch(prepared.upload.url, {
        method: 'PUT',
        headers: { ...prepared.upload.headers, 'content-md5': md5 },
        body: bytes,
      });
    const wrong = await put(Buffer.alloc(16).toString('base64'));
    assert.equal(wrong.status, 400);
    assert.match(await wrong.text(), /<Code>BadDigest<\/Code>/);
    assert.equal((await put('no digest')).status, 400);
    assert.equal(await service.local.head(prepared.key), undefined);
    assert.deepEqual(await readdir(service.local.incomingDir), []);
  });

  test('checks the Content-MD5 of a part too, which has another ETag without it', async (t) => {
    const service = await startUploadService(t, { multipartThresholdBytes: 16 * mebibyte });
    const { headers } = await service.createAccount('free');
    const whole = Buffer.alloc(17 * mebibyte, 1);
    const prepared = await new UploadClient(service.url, headers).prepareMultipart(whole.length);
    const body = partBytes(prepared, whole, 2);
    const put = (md5?: string) =>
      fetch(prepared.upload.parts[1]?.url ?? '', {
        method: 'PUT',
        headers: md5 ? { 'content-md5': md5 } : {},
        body,
      });
    assert.equal((await put(Buffer.alloc(16).toString('base64'))).status, 400);
    const digest = createHash('md5').update(body).digest();
    const checked = await put(digest.toString('base64'));
    assert.equal(checked.headers.get('etag'), `"${digest.toString('hex')}"`);
    const unchecked = await put();
    assert.match(unchecked.headers.get('etag') ?? '', /^"[0-9a-f]{32}"$/);
  });

  test('knows nothing but signed uploads', async (t) => {
    const service = await startUploadService(t);
    for (const path of [
      '/objects/',
      '/objects/uploads',
      '/objects/../upload-signing-key',
      '/objects/%2e%2e/x?signature=1&expires=2',
    ]) {
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await fetch(service.url + path, { method });
        assert.ok([403, 404].includes(answer.status), `${method} ${path} ${answer.status}`);
      }
    }
  });

  test('says that uploads are unavailable when the disk has no room', async (t) => {
    const service = await startUploadService(t, { availableBytes: () => 99 * mebibyte });
    const { headers } = await service.createAccount('free');
    const client = new UploadClient(service.url, headers);
    assert.equal((await client.prepare(10 * mebibyte)).storage, 'local');
    const answer = await client.tryPrepare({ filename: 'a.mp3', size: 90 * mebibyte });
    assert.deepEqual([answer.status, answer.code], [503, 'api_uploads_unavailable']);
  });
});

test('the local storage is unavailable when something else stands where it keeps incoming files', async (t) => {
  const service = await startUploadService(t);
  const { headers } = await service.createAccount('free');
  const client = new UploadClient(service.url, headers);
  const prepared = await client.prepareSingle(bytes.length);
  await rm(service.local.incomingDir, { recursive: true });
  await writeFile(service.local.incomingDir, 'a file');
  const put = await putSingle(prepared, bytes);
  assert.equal(put.status, 503);
  assert.match(await put.text(), /<Code>ServiceUnavailable<\/Code>/);
  const answer = await client.tryPrepare({ filename: 'a.mp3', size: 10 });
  assert.deepEqual([answer.status, answer.code], [503, 'api_uploads_unavailable']);
});

describe('an S3 store that is down or not set up', () => {
  const settings = {
    region: 'us-east-1',
    bucket: 'x',
    forcePathStyle: true,
    accessKeyId: 'a',
    secretAccessKey: 'b',
  };

  async function refusingAt(t: import('node:test').TestContext, endpoint: string) {
    const service = await startUploadService(t, {
      storage: 's3',
      s3: (clock) => new S3Store({ ...settings, endpoint, clock }),
      multipartThresholdBytes: 16 * mebibyte,
    });
    const { headers } = await service.createAccount('pro');
    return { service, client: new UploadClient(service.url, headers) };
  }

  test('is 503 api_uploads_unavailable when nothing listens', async (t) => {
    const { client } = await refusingAt(t, 'http://127.0.0.1:1');
    for (const size of [10, 20 * mebibyte]) {
      const answer = await client.tryPrepare({ filename: 'a.mp3', size });
      assert.deepEqual([answer.status, answer.code], [503, 'api_uploads_unavailable']);
    }
    assert.equal((await client.tryPrepare({ filename: 'a.txt', size: 1 })).code, 'unsupported_type');
  });

  test('is 503 within a bounded time when it takes connections and says nothing', async (t) => {
    const silent = createTcpServer(() => {});
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const sockets = new Set<import('node:net').Socket>();
    silent.on('connection', (socket) => sockets.add(socket));
    onCleanup(t, async () => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    const { client } = await refusingAt(t, `http://127.0.0.1:${(silent.address() as AddressInfo).port}`);
    const answer = await client.tryPrepare({ filename: 'a.mp3', size: 10 });
    assert.deepEqual([answer.status, answer.code], [503, 'api_uploads_unavailable']);
  });

  test('takes the documented lifecycle rules', { skip: skipWithoutS3 }, async (t) => {
    const bucket = await createTestBucket(t);
    const client = s3ClientFor(bucket);
    const [, rules] = (await documentedExamples()) as [unknown, BucketLifecycleConfiguration];
    await client.putBucketLifecycleConfiguration({ Bucket: bucket.bucket, LifecycleConfiguration: rules });
    const stored = await client.getBucketLifecycleConfiguration({ Bucket: bucket.bucket });
    assert.deepEqual(stored.Rules?.map((rule) => rule.ID).toSorted(), [
      'media',
      'unfinished uploads',
      'work',
    ]);
    client.destroy();
  });

  test('is 503 with wrong credentials or without its bucket', { skip: skipWithoutS3 }, async (t) => {
    const bucket = await createTestBucket(t);
    for (const wrong of [{ secretAccessKey: 'wrong' }, { bucket: 'no-such-bucket-here' }]) {
      const service = await startUploadService(t, {
        storage: 's3',
        s3: (clock) => new S3Store({ ...bucket, ...wrong, clock }),
      });
      const { headers } = await service.createAccount('pro');
      const answer = await new UploadClient(service.url, headers).tryPrepare({ filename: 'a.mp3', size: 10 });
      assert.deepEqual([answer.status, answer.code], [503, 'api_uploads_unavailable']);
    }
  });

  test('is unavailable, not empty, when its bucket is gone', { skip: skipWithoutS3 }, async (t) => {
    const bucket = await createTestBucket(t);
    const s3 = s3ClientFor(bucket);
    t.after(() => s3.destroy());
    const service = await startUploadService(t, {
      storage: 's3',
      s3: (clock) => new S3Store({ ...bucket, clock }),
    });
    const { account, headers } = await service.createAccount('pro');
    const { key, storage } = await new UploadClient(service.url, headers).prepareSingle(bytes.length);
    const create = () => {
      const reference = { key, storage, sizeBytes: bytes.length, filename: 'a.wav', contentType: null };
      return verifyUpload(service, principalOf(account), reference);
    };
    await assert.rejects(create(), { code: 'upload_not_found' });
    await s3.deleteBucket({ Bucket: bucket.bucket });
    await assert.rejects(create(), { code: 'api_processing_unavailable' });
    await assert.rejects(service.stores.current.read(key), { name: 'StorageUnavailable' });
    await s3.createBucket({ Bucket: bucket.bucket });
  });

  test('leaves complete and abort to be repeated, and create refused without a job', async (t) => {
    const { service, client } = await refusingAt(t, 'http://127.0.0.1:1');
    const { account, headers } = await service.createAccount('pro');
    const owner = new UploadClient(service.url, headers);
    const id = crypto.randomUUID();
    const key = `uploads/${account.id}/${id}`;
    await service.db.query(
      `insert into upload (id, account_id, storage, object_key, filename, content_type, size_bytes, part_size_bytes,
         multipart_id, created_at, expires_at)
       values ($1, $2, 's3', $3, 'a.wav', 'audio/wav', 20000000, 16777216, 'm', now(), now() + interval '4 hours')`,
      [id, account.id, key],
    );
    const session = { key, storage: 's3', upload_id: 'm' };
    const parts = [1, 2].map((part_number) => ({ part_number, etag: 'a' }));
    const path = '/api/v1/uploads/multipart';
    const complete = await owner.call('POST', path, { ...session, parts });
    assert.deepEqual([complete.status, complete.code], [503, 'api_uploads_unavailable']);
    const abort = await owner.call('DELETE', path, session);
    assert.deepEqual([abort.status, abort.code], [503, 'api_uploads_unavailable']);
    const stranger = await client.call('DELETE', path, session);
    assert.equal(stranger.code, 'invalid_multipart_upload');
    await service.db.query(
      `update upload set status = 'completed', completed_at = now(), discarded_at = null where id = $1`,
      [id],
    );
    const reference = {
      key,
      storage: 's3',
      sizeBytes: 20_000_000,
      filename: 'a.wav',
      contentType: null,
    } as const;
    await assert.rejects(verifyUpload(service, principalOf(account), reference), {
      code: 'api_processing_unavailable',
    });
  });
});
