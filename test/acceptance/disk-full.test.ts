/** A disk that is full for a while: the service says so, takes nothing new, loses nothing, and goes on by itself. */
import assert from 'node:assert/strict';
import { readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { onCleanup } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { startService, testEnvironment } from '../support/service.ts';
import { mountNamespace, skipWithoutMounts } from '../support/small-disk.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const mebibyte = 1024 * 1024;
const reserveBytes = 32 * mebibyte;

test('a full disk is told, refuses new bytes, and fails no job that waits for room', {
  skip: skipWithoutMounts,
}, async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_DISK_RESERVE: String(reserveBytes) });
  const script = `mount -t tmpfs -o size=160m tmpfs '${environment.LONGHAND_DATA_DIR}' && exec "$@"`;
  const service = await startService(
    environment,
    [],
    ['unshare', ...mountNamespace, '--', 'sh', '-c', script, 'sh'],
  );
  onCleanup(t, () => service.stop());
  const disk = join('/proc', String(service.process.pid), 'root', environment.LONGHAND_DATA_DIR ?? '');
  const client = await newClient(service);
  const uploads = await Promise.all([1, 2].map(() => client.uploadFile(austen)));
  const prepared = await client.post('/api/v1/uploads', { filename: 'a.wav', size: mebibyte });
  assert.equal((await client.get('/readyz')).status, 200);

  const { bavail, bsize } = await statfs(disk);
  await writeFile(join(disk, 'filler'), Buffer.alloc(bavail * bsize - reserveBytes / 2));
  const full = await eventually(async () => {
    const answer = await client.get('/readyz');
    return answer.status === 503 ? answer : undefined;
  }, 'the full disk at /readyz');
  assert.ok(full.body.missing.includes('disk'), JSON.stringify(full.body));
  await eventually(
    () => /"dependency":"disk"/.test(service.log()) || undefined,
    'the worker to leave tasks alone',
  );
  const refused = await client.post('/api/v1/uploads', { filename: 'a.wav', size: 1 });
  assertError(refused, { status: 503, code: 'api_uploads_unavailable' });
  assert.match(refused.body.error.message, /no room for this file on the disk/);
  const { url, headers } = prepared.body.data.upload;
  const put = await fetch(url, { method: 'PUT', headers, body: Buffer.alloc(mebibyte) });
  assert.equal(put.status, 503);
  const jobs = await Promise.all(uploads.map((upload) => client.post('/api/v1/transcriptions', { upload })));
  for (const { status } of jobs) assert.equal(status, 202);

  await rm(join(disk, 'filler'));
  for (const { body } of jobs) {
    const ended = await client.ended(body.data.id);
    assert.equal(ended.body.data.status, 'completed', ended.body.data.error);
  }
  assert.equal((await client.get('/readyz')).status, 200);
  const again = await client.upload('again.flac', await readFile(austen));
  assert.equal((await client.post('/api/v1/transcriptions', { upload: again })).status, 202);
});
