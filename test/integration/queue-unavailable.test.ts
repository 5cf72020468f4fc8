import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ApiClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { withConnection } from '../support/empty-database.ts';
import { runService } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const key = `lh_${'c'.repeat(36)}`;
const service = await runService({ after }, { LONGHAND_API_KEY: key });
const client = new ApiClient(service.url, key);

test('a job that cannot be queued is queue_unavailable, and leaves no job and no use of the allowance', async () => {
  const databaseUrl = service.environment.LONGHAND_DATABASE_URL ?? '';
  const upload = await client.upload('a.wav', wavBytes(1, 0));
  await withConnection(databaseUrl, (db) => db.query('alter schema queue rename to queue_away'));
  try {
    assertError(await client.post('/api/v1/transcriptions', { upload }), {
      status: 503,
      code: 'queue_unavailable',
    });
    assert.deepEqual((await client.get('/api/v1/transcriptions')).body, { data: [] });
    const used = await withConnection(databaseUrl, (db) => db.query('select * from daily_usage'));
    assert.deepEqual(used.rows, []);
  } finally {
    await withConnection(databaseUrl, (db) => db.query('alter schema queue_away rename to queue'));
  }
  assert.equal((await client.post('/api/v1/transcriptions', { upload })).status, 202);
});
