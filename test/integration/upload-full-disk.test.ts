/** A disk that fills up while bytes arrive, or that can no longer be written: real ones, not injected errors. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { mountSmallDisk, skipWithoutMounts } from '../support/small-disk.ts';
import { putSingle, UploadClient } from '../support/upload-client.ts';
import { startUploadService } from '../support/upload-service.ts';

const mebibyte = 1024 * 1024;
const diskMebibytes = 8;

async function startOnSmallDisk(
  t: import('node:test').TestContext,
  options: { availableBytes?: () => number } = {},
) {
  const disk = await mountSmallDisk(t, diskMebibytes);
  const service = await startUploadService(t, {
    directory: disk.directory,
    multipartThresholdBytes: 16 * mebibyte,
    ...options,
  });
  const { headers } = await service.createAccount('pro');
  return { disk, service, client: new UploadClient(service.url, headers) };
}

/** The look at the room before an upload is switched off, as if the disk had filled up just after it. */
const believedSpace = { availableBytes: () => Number.MAX_SAFE_INTEGER };

async function assertUnavailable(put: Response): Promise<void> {
  assert.equal(put.status, 503);
  assert.equal(put.headers.get('content-type'), 'application/xml');
  assert.match(await put.text(), /<Code>ServiceUnavailable<\/Code>/);
}

describe('a full disk', { skip: skipWithoutMounts }, () => {
  test('refuses a single PUT clearly, keeps nothing of it, and takes one that fits', async (t) => {
    const { service, client } = await startOnSmallDisk(t, believedSpace);
    const large = Buffer.alloc(8.5 * mebibyte, 1);
    const prepared = await client.prepareSingle(large.length);
    const { url, headers } = prepared.upload;
    await assertUnavailable(await fetch(url, { method: 'PUT', headers, body: large }));
    assert.deepEqual(await readdir(service.local.incomingDir), []);
    assert.equal(await service.local.head(prepared.key), undefined);

    const small = Buffer.alloc(7 * mebibyte, 2);
    const fitting = await client.prepareSingle(small.length);
    assert.equal((await putSingle(fitting, small)).status, 200);
    assert.equal((await service.local.head(fitting.key))?.sizeBytes, small.length);
  });

  test('refuses a part clearly, keeps nothing of it, and the session can still be aborted', async (t) => {
    const { service, client } = await startOnSmallDisk(t, believedSpace);
    const { key, storage, upload } = await client.prepareMultipart(20 * mebibyte);
    const body = Buffer.alloc(upload.part_size, 1);
    await assertUnavailable(await fetch(upload.parts[0]?.url ?? '', { method: 'PUT', body }));
    assert.deepEqual(await readdir(service.local.incomingDir), []);
    assert.deepEqual(await readdir(service.local.multipartDir({ key, uploadId: upload.upload_id })), []);
    const session = { key, storage, upload_id: upload.upload_id };
    assert.equal((await client.call('DELETE', '/api/v1/uploads/multipart', session)).status, 204);
  });

  test('is found out by prepare, and by a PUT before it takes a byte', async (t) => {
    let availableBytes: number | undefined = Number.MAX_SAFE_INTEGER;
    const { service, client } = await startOnSmallDisk(t, { availableBytes: () => availableBytes ?? 0 });
    const body = Buffer.alloc(1000);
    const { url, headers } = (await client.prepareSingle(body.length)).upload;
    availableBytes = undefined;
    const answer = await client.tryPrepare({ filename: 'a.mp3', size: body.length });
    assert.deepEqual([answer.status, answer.code], [503, 'api_uploads_unavailable']);
    await assertUnavailable(await fetch(url, { method: 'PUT', headers, body }));
    assert.deepEqual(await readdir(service.local.incomingDir), []);
  });
});

test('a disk that cannot be written: prepare is 503, a PUT is refused', {
  skip: skipWithoutMounts,
}, async (t) => {
  const { disk, client } = await startOnSmallDisk(t, believedSpace);
  const body = Buffer.alloc(1000);
  const { url, headers } = (await client.prepareSingle(body.length)).upload;
  await disk.makeReadOnly();
  for (const size of [10, 20 * mebibyte]) {
    const answer = await client.tryPrepare({ filename: 'a.mp3', size });
    assert.deepEqual([answer.status, answer.code], [503, 'api_uploads_unavailable']);
  }
  await assertUnavailable(await fetch(url, { method: 'PUT', headers, body }));
});
