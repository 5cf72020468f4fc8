import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { type Environment, startService, temporaryDataDir, testEnvironment } from '../support/service.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const path = '/api/v1/transcriptions';
const key = `lh_${'b'.repeat(36)}`;

test('a service killed ten times during a job completes it after the restart, once', async () => {
  const environment: Environment = {
    PATH: process.env.PATH ?? '',
    LONGHAND_PORT: '0',
    LONGHAND_DATA_DIR: await temporaryDataDir({ after }),
    LONGHAND_API_KEY: key,
    LONGHAND_LOG_LEVEL: 'error',
    LONGHAND_WORKERS: '1',
  };
  let service = await startService(environment);
  const upload = await new ApiClient(service.url, key).uploadFile(austen);
  const created = await new ApiClient(service.url, key).post(path, { upload });
  assert.equal(created.status, 202);
  for (let kill = 0; kill < 10; kill += 1) {
    await delay(50 + kill * 60); // another point of the job each time
    await service.stop('SIGKILL');
    service = await startService(environment);
  }
  try {
    const client = new ApiClient(service.url, key);
    const { body } = await client.ended(created.body.data.id);
    assert.equal(body.data.status, 'completed');
    assert.match(body.data.text, /^he was not an ill[- ]disposed young man\W*$/i);
    assert.equal((await client.get(path)).body.data.length, 1);
  } finally {
    await service.stop();
  }
});

test('a job accepted just before an orderly stop completes after the restart', async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_API_KEY: key });
  const first = await startService(environment);
  const client = new ApiClient(first.url, key);
  const created = await client.post(path, { upload: await client.uploadFile(austen) });
  await first.stop();
  assert.equal(first.process.exitCode, 0);
  const second = await startService(environment);
  try {
    const { body } = await new ApiClient(second.url, key).ended(created.body.data.id);
    assert.equal(body.data.status, 'completed');
  } finally {
    await second.stop();
  }
});

test('an API without any worker refuses jobs, and takes them as soon as a worker is there', async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_API_KEY: key });
  const api = await startService(environment, ['--role', 'api']);
  try {
    const client = new ApiClient(api.url, key);
    const upload = await client.uploadFile(austen);
    assertError(await client.post(path, { upload }), { status: 503, code: 'api_processing_unavailable' });
    assert.deepEqual((await client.get(path)).body, { data: [] });
    assert.equal((await client.get('/readyz')).status, 503);
    const worker = await startService(environment, ['--role', 'worker']);
    try {
      const created = await client.post(path, { upload });
      assert.equal(created.status, 202);
      assert.equal((await client.ended(created.body.data.id)).body.data.status, 'completed');
    } finally {
      await worker.stop();
    }
    assertError(await client.post(path, { upload }), { status: 503, code: 'api_processing_unavailable' });
  } finally {
    await api.stop();
  }
});
