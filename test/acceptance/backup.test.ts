import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ApiClient } from '../support/api-client.ts';
import { type Hooks, onCleanup } from '../support/cleanup.ts';
import { createEmptyDatabase } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { createTestBucket, skipWithoutS3 } from '../support/s3-server.ts';
import {
  type Environment,
  longhand,
  startService,
  type TestService,
  temporaryDataDir,
} from '../support/service.ts';
import { WebClient } from '../support/web-client.ts';
import { openReceiver, type ReceivedWebhook, verified } from '../support/webhook-receiver.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const jobs = '/api/v1/transcriptions';
const key = `lh_${'0123456789'.repeat(4).slice(0, 36)}`;

function embedded(dataDir: string, settings: Environment = {}): Environment {
  return {
    PATH: process.env.PATH ?? '',
    LONGHAND_PORT: '0',
    LONGHAND_DATA_DIR: dataDir,
    LONGHAND_LOG_LEVEL: 'warn',
    LONGHAND_WORKERS: '1',
    LONGHAND_API_KEY: key,
    ...settings,
  };
}

async function run(hooks: Hooks, environment: Environment): Promise<[TestService, ApiClient]> {
  const service = await startService(environment);
  onCleanup(hooks, () => service.stop());
  return [service, new ApiClient(service.url, key)];
}

async function createJob(client: ApiClient): Promise<string> {
  const created = await client.post(jobs, { upload: await client.uploadFile(austen) });
  assert.equal(created.status, 202);
  return created.body.data.id;
}

async function assertDone(client: ApiClient, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { body } = await client.ended(id);
    assert.equal(body.data.status, 'completed', body.data.error);
    assert.match(body.data.text, /not an ill[- ]disposed young man/i);
  }
}

test('a backup taken under load brings back every acknowledged job, subscription and key', async (t) => {
  const receiver = await openReceiver(t);
  const allowed = { LONGHAND_EGRESS_ALLOW: receiver.target };
  const first = embedded(await temporaryDataDir(t), allowed);
  const [service, client] = await run(t, first);
  const { body } = await client.post('/api/v1/webhook-subscriptions', {
    url: receiver.url,
    events: ['transcription.completed'],
  });
  const ids = [await createJob(client)];
  await client.ended(ids[0] ?? '');
  const load = Array.from({ length: 4 }, () => createJob(client));
  ids.push(...(await Promise.all(load)));

  const file = join(await temporaryDataDir(t), 'longhand.tar');
  const made = await longhand(first, 'backup', file, '--json');
  assert.equal(made.code, 0, made.stderr);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await service.stop('SIGKILL'); // What it did after the backup is lost with its disk.

  const occupied = await longhand(first, 'restore', file);
  assert.equal(occupied.code, 1);
  assert.match(occupied.stderr, /is in use already/);

  const second = embedded(await temporaryDataDir(t), allowed);
  const restored = await longhand(second, 'restore', file, '--json');
  assert.equal(restored.code, 0, restored.stderr);
  receiver.received.length = 0;
  const [, again] = await run(t, second);
  const listed = await again.get(jobs);
  assert.deepEqual(new Set(listed.body.data.map(({ id }: { id: string }) => id)), new Set(ids));
  await assertDone(again, ids);
  assert.equal((await again.get('/api/v1/webhook-subscriptions')).body.data.length, 1);
  const id = await createJob(again);
  await assertDone(again, [id]);
  const isOf = (received: ReceivedWebhook) => {
    const event = verified(received, body.data.signing_secret) as { data: { id: string } };
    return event.data.id === id;
  };
  await eventually(() => receiver.received.some(isOf), 'the event of a new job');
});

test('a file that is no backup leaves nothing behind', async (t) => {
  const environment = embedded(await temporaryDataDir(t));
  const { code, stderr } = await longhand(environment, 'restore', austen);
  assert.equal(code, 1);
  assert.match(stderr, /^longhand: .+\n$/);
  assert.equal((await longhand(environment, 'account', 'list')).code, 0);
});

test('embedded and local become external and S3, and no job is lost', { skip: skipWithoutS3 }, async (t) => {
  const dataDir = await temporaryDataDir(t);
  const [service, client] = await run(t, embedded(dataDir));
  const done = await createJob(client);
  await client.ended(done);
  const hook = { url: 'https://hooks.example.com/a', events: ['transcription.completed'] };
  assert.equal((await client.post('/api/v1/webhook-subscriptions', hook)).status, 201);
  const waiting = [await createJob(client), await createJob(client)];
  await client.post('/api/v1/uploads', { filename: 'never-sent.wav', size: 1000 });
  await service.stop();

  const { endpoint = '', bucket, accessKeyId, secretAccessKey } = await createTestBucket(t);
  const target = embedded(dataDir, {
    LONGHAND_DATABASE_URL: await createEmptyDatabase(t),
    LONGHAND_STORAGE: 's3',
    LONGHAND_S3_ENDPOINT: endpoint,
    LONGHAND_S3_BUCKET: bucket,
    LONGHAND_S3_ACCESS_KEY_ID: accessKeyId,
    LONGHAND_S3_SECRET_ACCESS_KEY: secretAccessKey,
    LONGHAND_S3_FORCE_PATH_STYLE: 'true',
  });
  const unsealed = await longhand(target, 'move');
  assert.equal(unsealed.code, 1);
  const [, secretKey = ''] = /base64 -w0 (\S+?)\)/.exec(unsealed.stderr) ?? [];
  const settings = { ...target, LONGHAND_SECRET_KEY: (await readFile(secretKey)).toString('base64') };
  const moved = await longhand(settings, 'move', '--json');
  assert.equal(moved.code, 0, moved.stderr);
  const report = JSON.parse(moved.stdout);
  assert.equal(report.uploads, 3);
  assert.equal(report.uploads_discarded, 1);
  assert.ok(report.playback_objects >= 1);
  assert.equal(report.tables.transcription, 3);
  assert.equal((await longhand(settings, 'move')).code, 1, 'not twice');

  // Nothing of the old data directory is needed: another machine takes over.
  const [elsewhere, again] = await run(t, { ...settings, LONGHAND_DATA_DIR: await temporaryDataDir(t) });
  const { accounts } = JSON.parse(
    (await longhand(elsewhere.environment, 'account', 'list', '--json')).stdout,
  );
  const person = await WebClient.signedIn(elsewhere, accounts[0].id);
  for (const part of ['peaks', 'media']) {
    const { status } = await person.send('GET', `/web/transcriptions/${done}/${part}`);
    assert.equal(status, 200, `${part} can be had from the new place`);
  }
  await assertDone(again, [done, ...waiting]);
  assert.equal((await again.get('/api/v1/webhook-subscriptions')).body.data.length, 1);
  await assertDone(again, [await createJob(again)]);
});
