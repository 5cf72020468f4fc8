/** What a client gets while the database does not answer, or is not there at all. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Answer, ApiClient, type UploadReference } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { runService } from '../support/service.ts';
import { stoppableDatabase } from '../support/stoppable-database.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const key = `lh_${'d'.repeat(36)}`;
const database = await stoppableDatabase({ after });
const service = await runService(
  { after },
  { LONGHAND_DATABASE_URL: database.connectionString, LONGHAND_API_KEY: key, LONGHAND_LOG_LEVEL: 'silent' },
);
const client = new ApiClient(service.url, key);
const upload = await client.upload('a.wav', wavBytes(1, 0));
/** Two limits of ours are eight seconds; a busy machine adds to them, and a query without them takes 35 s. */
const patienceMs = 25_000;

async function answered(answer: Promise<Answer>): Promise<Answer> {
  const late = AbortSignal.timeout(patienceMs);
  const never = new Promise<never>((_resolve, reject) =>
    late.addEventListener('abort', () => reject(new Error(`no answer in ${patienceMs} ms`))),
  );
  return await Promise.race([answer, never]);
}

function operations(reference: UploadReference): [string, () => Promise<Answer>][] {
  const webhook = { url: 'https://example.com/', events: ['transcription.failed'] };
  const none = '00000000-0000-4000-8000-000000000000';
  return [
    ['service_unavailable', () => client.get('/api/v1/transcriptions')],
    ['service_unavailable', () => client.get(`/api/v1/transcriptions/${none}`)],
    ['queue_unavailable', () => client.post('/api/v1/transcriptions', { upload: reference })],
    ['api_uploads_unavailable', () => client.post('/api/v1/uploads', { filename: 'b.wav', size: 5 })],
    ['service_unavailable', () => client.post('/api/v1/webhook-subscriptions', webhook)],
    ['service_unavailable', () => client.get('/api/v1/webhook-subscriptions')],
  ];
}

async function assertUnavailable(): Promise<void> {
  await Promise.all(
    operations(upload).map(async ([code, ask]) => {
      const { status, headers, body } = await answered(ask());
      assert.deepEqual([status, body.error?.code], [503, code]);
      assert.match(headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    }),
  );
}

async function assertBack(): Promise<void> {
  const { body } = await eventually(async () => {
    const answer = await client.get('/api/v1/transcriptions');
    return answer.status === 200 ? answer : undefined;
  }, 'an answer after the database was back');
  assert.deepEqual(body, { data: [] });
}

test('a database that hangs is 503 with Retry-After on every operation, and the service goes on when it answers again', async () => {
  await database.freeze();
  try {
    await assertUnavailable();
    // Now without a connection that was open before.
    await assertUnavailable();
  } finally {
    database.thaw();
  }
  await assertBack();
});

test('a database that is not there is 503 with Retry-After on every operation, and the service goes on when it is back', async () => {
  await database.takeAway();
  await assertUnavailable();
  await database.bringBack();
  await assertBack();
});
