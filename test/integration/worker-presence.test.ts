/** A worker counts as present only while it could do a job. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { isProcessingAvailable, WorkerPresence } from '../../src/transcription/fault/worker-presence.ts';
import { ApiClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { onCleanup } from '../support/cleanup.ts';
import { openTestDatabase } from '../support/database.ts';
import { createMigratedDatabase, withConnection } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { createTestBucket, s3Environment, skipWithoutS3 } from '../support/s3-server.ts';
import { startService, temporaryDataDir, testEnvironment } from '../support/service.ts';
import { silentLogger } from '../support/silent-logger.ts';

const path = '/api/v1/transcriptions';
const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const key = `lh_${'f'.repeat(36)}`;

test('a worker is silent while it is unfit, and heard again when it is fit', async (t) => {
  const db = await openTestDatabase(t);
  const clock = new ManualClock();
  let isFit = false;
  const expectFit = async () => {
    if (!isFit) throw new Error('its storage is away');
  };
  const about = { version: '1.2.3', host: 'here', engine: 'auto', models: [], capacity: 1 };
  const presence = new WorkerPresence({ db, logger: silentLogger, about, expectFit });
  await presence.start(clock);
  onCleanup(t, () => presence.stop());
  await clock.advance(10_000);
  assert.equal(await isProcessingAvailable(db), false);
  isFit = true;
  await clock.advance(10_000);
  await eventually(() => isProcessingAvailable(db), 'a sign of life');
  isFit = false;
  await db.query(`update worker set heard_at = now() - interval '31 seconds'`);
  await clock.advance(10_000);
  assert.equal(await isProcessingAvailable(db), false);
});

test('a worker with a wrong storage secret does not make the service ready, and no job is accepted for it', {
  skip: skipWithoutS3,
}, async (t) => {
  const databaseUrl = await createMigratedDatabase(t);
  const environment = await testEnvironment(t, {
    ...s3Environment(await createTestBucket(t)),
    LONGHAND_DATABASE_URL: databaseUrl,
    LONGHAND_API_KEY: key,
    LONGHAND_LOG_LEVEL: 'silent',
  });
  const start = async (role: string, settings: Record<string, string> = {}) => {
    const own = { ...environment, ...settings, LONGHAND_DATA_DIR: await temporaryDataDir(t) };
    const service = await startService(own, ['--role', role]);
    onCleanup(t, () => service.stop());
    return service;
  };
  const client = new ApiClient((await start('api')).url, key);
  const upload = await client.uploadFile(austen);
  await start('worker', { LONGHAND_S3_SECRET_ACCESS_KEY: 'wrong' });
  const heard = await withConnection(databaseUrl, (db) => db.query('select from worker'));
  assert.equal(heard.rows.length, 0);
  assert.deepEqual((await client.get('/readyz')).body, { status: 'not ready', missing: ['worker'] });
  assertError(await client.post(path, { upload }), { status: 503, code: 'api_processing_unavailable' });

  await start('worker');
  await eventually(async () => (await client.get('/readyz')).status === 200, 'readiness');
  const created = await client.post(path, { upload });
  assert.equal((await client.ended(created.body.data.id)).body.data.status, 'completed');
});
