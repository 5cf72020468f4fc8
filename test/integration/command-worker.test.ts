import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { withConnection } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { longhand, startService, testEnvironment } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const path = '/api/v1/transcriptions';
const key = `lh_${'d'.repeat(36)}`;

test('a job of the service that the worker of a transcribe command ends has its event like any other', async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_API_KEY: key, LONGHAND_LOG_LEVEL: 'error' });
  const service = await startService(environment, ['--role', 'api']);
  onCleanup(t, () => service.stop());
  const client = new ApiClient(service.url, key);
  const upload = await client.upload('a.wav', wavBytes(1, 0));

  const talk = join(environment.LONGHAND_DATA_DIR ?? '', 'talk.flac');
  execFileSync('ffmpeg', ['-v', 'error', '-stream_loop', '19', '-i', austen, talk]);
  const command = longhand(environment, 'transcribe', talk, '--language', 'en');
  const created = await eventually(async () => {
    const answer = await client.post(path, { upload });
    return answer.status === 202 ? answer : undefined;
  }, 'the command to be taken for a worker');
  const { id } = created.body.data;
  assert.equal((await client.ended(id)).body.data.status, 'completed');
  const events = await withConnection(environment.LONGHAND_DATABASE_URL ?? '', (db) =>
    db.query<{ type: string }>('select type from webhook_event where transcription_id = $1', [id]),
  );
  assert.deepEqual(events.rows, [{ type: 'transcription.completed' }]);
  assert.equal((await command).code, 0);
});

test('without the model of its engine transcribe says so at once', async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_ENGINE: 'sense-voice-small' });
  const { code, stderr } = await longhand(environment, 'transcribe', austen);
  assert.equal(code, 1);
  assert.match(stderr, /longhand models install/);
});

test('a model that cannot write text is refused as an engine at once, by the command and by the service', async (t) => {
  const environment = await testEnvironment(t, { LONGHAND_ENGINE: 'silero-vad', LONGHAND_PORT: '0' });
  for (const args of [['transcribe', austen], ['serve']]) {
    const { code, stderr } = await longhand(environment, ...args);
    assert.equal(code, 1, args[0]);
    assert.match(stderr, /LONGHAND_ENGINE: silero-vad cannot write text/);
  }
});
