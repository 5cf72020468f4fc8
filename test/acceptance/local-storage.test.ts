/** Several processes on one database agree on the directory of the local storage, or do not start. */
import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { longhand, runService, startService, temporaryDataDir } from '../support/service.ts';

test('a machine with another data directory is refused with one sentence, one that shares it is not', async (t) => {
  const first = await runService(t);
  const other = { ...first.environment, LONGHAND_DATA_DIR: await temporaryDataDir(t) };
  for (const role of ['api', 'worker']) {
    const refused = await longhand(other, 'serve', '--role', role);
    assert.notEqual(refused.code, 0);
    assert.match(
      refused.stderr,
      /^longhand: Another directory than \S+ holds the uploads of this database: .*\n$/,
    );
  }
  const sharing = await startService(first.environment, ['--role', 'worker']);
  onCleanup(t, () => sharing.stop());
  // As a copy of the objects has it, on a machine that mounts them and nothing else.
  const shared = join(other.LONGHAND_DATA_DIR, 'objects');
  await cp(join(first.environment.LONGHAND_DATA_DIR ?? '', 'objects'), shared, { recursive: true });
  const mounted = await startService(other, ['--role', 'worker']);
  onCleanup(t, () => mounted.stop());
});

test('a machine that uploads to S3 leaves the local storage of another alone', async (t) => {
  const s3 = {
    LONGHAND_STORAGE: 's3',
    LONGHAND_S3_ENDPOINT: 'http://127.0.0.1:1',
    LONGHAND_S3_BUCKET: 'media',
    LONGHAND_S3_ACCESS_KEY_ID: 'id',
    LONGHAND_S3_SECRET_ACCESS_KEY: 'secret',
    LONGHAND_S3_FORCE_PATH_STYLE: 'true',
  };
  // It comes first, and still the one that has the objects is the local storage.
  const remote = await runService(t, s3);
  const local = await startService({
    ...remote.environment,
    LONGHAND_STORAGE: 'local',
    LONGHAND_DATA_DIR: await temporaryDataDir(t),
  });
  onCleanup(t, () => local.stop());
  const prepared = await (await newClient(local)).post('/api/v1/uploads', { filename: 'talk.mp3', size: 4 });
  assert.equal(prepared.status, 200);
  const { url, headers } = prepared.body.data.upload;
  const elsewhere = url.replace(local.url, remote.url);
  assert.equal((await fetch(elsewhere, { method: 'PUT', headers, body: 'abcd' })).status, 404);
  assert.equal((await fetch(url, { method: 'PUT', headers, body: 'abcd' })).status, 200);
});
