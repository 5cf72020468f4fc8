/** A store that does not answer stops uploads, and nothing else. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { runService } from '../support/service.ts';

test('with the object store down prepare is 503 and every other operation goes on', async (t) => {
  const service = await runService(t, {
    LONGHAND_STORAGE: 's3',
    LONGHAND_S3_ENDPOINT: 'http://127.0.0.1:1',
    LONGHAND_S3_BUCKET: 'media',
    LONGHAND_S3_ACCESS_KEY_ID: 'id',
    LONGHAND_S3_SECRET_ACCESS_KEY: 'secret',
    LONGHAND_S3_FORCE_PATH_STYLE: 'true',
  });
  assert.match(service.output(), /\n {2}storage: s3: .*LONGHAND_S3_ENDPOINT/);
  const client = await newClient(service);
  assert.deepEqual((await client.get('/readyz')).body.missing, ['storage', 'worker']);
  const prepare = await client.post('/api/v1/uploads', { filename: 'talk.mp3', size: 1000 });
  assert.deepEqual([prepare.status, prepare.body.error.code], [503, 'api_uploads_unavailable']);
  for (const path of ['/api/v1', '/api/v1/transcriptions', '/api/v1/webhook-subscriptions']) {
    assert.equal((await client.get(path)).status, 200, path);
  }
});
