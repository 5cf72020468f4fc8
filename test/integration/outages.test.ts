/** What is away in the middle of jobs is waited out: all of them complete, once, and nothing counts against them. */
import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { createMigratedDatabase, withConnection } from '../support/empty-database.ts';
import { eventually } from '../support/eventually.ts';
import { createTestBucket, s3Environment, skipWithoutS3 } from '../support/s3-server.ts';
import {
  type Environment,
  startService,
  type TestService,
  temporaryDataDir,
  testEnvironment,
} from '../support/service.ts';
import { onSmallDisk, skipWithoutMounts } from '../support/small-disk.ts';
import { answerText, openSpeechEndpoint, type SpeechEndpoint } from '../support/speech-endpoint.ts';
import { stoppableDatabase } from '../support/stoppable-database.ts';
import { openTcpProxy } from '../support/tcp-proxy.ts';

const path = '/api/v1/transcriptions';
const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const key = `lh_${'e'.repeat(36)}`;
const jobsCount = 5;
/** Longer than every first wait, shorter than what a test should take; the benchmark has the minutes. */
const outageMs = 6_000;

function settingsFor(endpoint: SpeechEndpoint): Environment {
  return {
    ...endpoint.settings,
    LONGHAND_EGRESS_ALLOW: endpoint.target,
    LONGHAND_API_KEY: key,
    LONGHAND_WORKERS: '2',
    LONGHAND_LOG_LEVEL: 'silent',
  };
}

/** A service on these settings whose speech is recognised by an endpoint of the test's own. */
async function open(t: TestContext, settings: Environment = {}) {
  const endpoint = await openSpeechEndpoint(t);
  const environment = await testEnvironment(t, { ...settingsFor(endpoint), ...settings });
  const service = await running(t, environment);
  return { endpoint, environment, service, client: new ApiClient(service.url, key) };
}

async function running(t: TestContext, environment: Environment, args: string[] = []): Promise<TestService> {
  const service = await startService(environment, args);
  onCleanup(t, () => service.stop());
  return service;
}

async function create(client: ApiClient): Promise<string[]> {
  const upload = await client.uploadFile(austen);
  const ids: string[] = [];
  for (let i = 0; i < jobsCount; i += 1) {
    const { status, body } = await client.post(path, { upload });
    assert.equal(status, 202, JSON.stringify(body));
    ids.push(body.data.id);
  }
  return ids;
}

/** Some of the jobs are recognised, none has ended. */
async function inTheMiddle(endpoint: SpeechEndpoint): Promise<void> {
  await eventually(() => endpoint.requests > 0, 'the first request for speech');
}

async function assertAllCompletedOnce(client: ApiClient, ids: string[], databaseUrl: string): Promise<void> {
  const ends = await Promise.all(ids.map((id) => client.ended(id)));
  assert.deepEqual(
    ends.map(({ body }) => [body.data?.status, body.data?.error]),
    ids.map(() => ['completed', null]),
  );
  await withConnection(databaseUrl, async (db) => {
    const events = await db.query('select type from webhook_event where transcription_id = any($1)', [ids]);
    assert.deepEqual(
      events.rows,
      ids.map(() => ({ type: 'transcription.completed' })),
    );
    const counted = await db.query('select step, reason from step_fault where faults > 0');
    assert.deepEqual(counted.rows, [], 'nothing counts against a job');
  });
}

/** Recognition waits for the gate, so that the outage falls into the middle of every job. */
function closedGate(endpoint: SpeechEndpoint): { open(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  endpoint.answer = async (response) => {
    await promise;
    answerText(response);
  };
  return { open: resolve };
}

test('a remote engine that is away for a while', async (t) => {
  const { endpoint, environment, client } = await open(t);
  let isAway = true;
  endpoint.answer = (response) => {
    if (!isAway) answerText(response);
    else if (endpoint.requests % 2 === 0) response.destroy();
    else response.writeHead(503).end();
  };
  const ids = await create(client);
  await inTheMiddle(endpoint);
  await delay(outageMs);
  isAway = false;
  await assertAllCompletedOnce(client, ids, environment.LONGHAND_DATABASE_URL ?? '');
  assert.ok(
    endpoint.requests < 10 * jobsCount,
    `${endpoint.requests} requests: it was not tried over and over`,
  );
});

test('a database that hangs for a while', async (t) => {
  const database = await stoppableDatabase(t);
  const { endpoint, client } = await open(t, { LONGHAND_DATABASE_URL: database.connectionString });
  const gate = closedGate(endpoint);
  const ids = await create(client);
  await inTheMiddle(endpoint);
  await database.freeze();
  gate.open();
  await delay(outageMs);
  database.thaw();
  await backAgain(client);
  await assertAllCompletedOnce(client, ids, database.connectionString);
});

test('a database that is gone for a while', async (t) => {
  const database = await stoppableDatabase(t);
  const { endpoint, client } = await open(t, { LONGHAND_DATABASE_URL: database.connectionString });
  const gate = closedGate(endpoint);
  const ids = await create(client);
  await inTheMiddle(endpoint);
  await database.takeAway();
  gate.open();
  await delay(outageMs);
  await database.bringBack();
  await backAgain(client);
  await assertAllCompletedOnce(client, ids, database.connectionString);
});

async function backAgain(client: ApiClient): Promise<void> {
  await eventually(async () => (await client.get(path)).status === 200, 'answers');
}

test('an object store that is away for a while', { skip: skipWithoutS3 }, async (t) => {
  const s3 = await createTestBucket(t);
  const { hostname, port } = new URL(s3.endpoint ?? '');
  const proxy = await openTcpProxy(t, { host: hostname, port: Number(port) });
  const { endpoint, environment, client } = await open(
    t,
    s3Environment({ ...s3, endpoint: `http://${proxy.target}` }),
  );
  const gate = closedGate(endpoint);
  const ids = await create(client);
  await inTheMiddle(endpoint);
  proxy.cut();
  gate.open();
  await delay(outageMs);
  proxy.restore();
  await assertAllCompletedOnce(client, ids, environment.LONGHAND_DATABASE_URL ?? '');
});

test('one worker with a wrong storage secret leaves the jobs to the other', {
  skip: skipWithoutS3,
}, async (t) => {
  const settings = s3Environment(await createTestBucket(t));
  const wrong = { ...settings, LONGHAND_S3_SECRET_ACCESS_KEY: 'wrong' };
  const databaseUrl = await createMigratedDatabase(t);
  const { environment } = await open(t, { ...settings, LONGHAND_DATABASE_URL: databaseUrl });
  const bad = { ...environment, ...wrong, LONGHAND_DATA_DIR: await temporaryDataDir(t) };
  await startService(bad, ['--role', 'worker']).then((service) => onCleanup(t, () => service.stop()));
  const service = await running(t, { ...environment, LONGHAND_DATA_DIR: await temporaryDataDir(t) }, [
    '--role',
    'api',
  ]);
  const client = new ApiClient(service.url, key);
  await assertAllCompletedOnce(client, await create(client), databaseUrl);
});

test('a disk that is full for a while', { skip: skipWithoutMounts }, async (t) => {
  const endpoint = await openSpeechEndpoint(t);
  const environment = await testEnvironment(t, { ...settingsFor(endpoint), LONGHAND_DISK_RESERVE: '0' });
  const directory = environment.LONGHAND_DATA_DIR ?? '';
  const service = await startService(environment, [], onSmallDisk(directory, 64));
  onCleanup(t, () => service.stop());
  const client = new ApiClient(service.url, key);
  const upload = await client.uploadFile(austen);
  const filler = join('/proc', String(service.process.pid), 'root', directory, 'filler');
  await assert.rejects(writeFile(filler, Buffer.alloc(128 * 2 ** 20)), { code: 'ENOSPC' });
  const { status, body } = await client.post(path, { upload });
  assert.equal(status, 202, JSON.stringify(body));
  await delay(outageMs);
  assert.equal((await client.get(`${path}/${body.data.id}`)).body.data.status, 'processing');
  await rm(filler);
  await assertAllCompletedOnce(client, [body.data.id], environment.LONGHAND_DATABASE_URL ?? '');
});
