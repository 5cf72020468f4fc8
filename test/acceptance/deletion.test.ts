import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { ApiClient, newClient } from '../support/api-client.ts';
import { streamEvents } from '../support/event-stream.ts';
import { eventually } from '../support/eventually.ts';
import { longhand, runService, temporaryDataDir } from '../support/service.ts';
import { openReceiver, verified } from '../support/webhook-receiver.ts';

const hooks = { after };
const recording = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const receiver = await openReceiver(hooks);
const service = await runService(hooks, { LONGHAND_EGRESS_ALLOW: receiver.target });
const dataDir = service.environment.LONGHAND_DATA_DIR ?? '';

async function command(...args: string[]) {
  const { code, stdout, stderr } = await longhand(service.environment, ...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

async function subscribe(client: ApiClient): Promise<string> {
  receiver.received.length = 0;
  const events = ['transcription.completed', 'transcription.failed'];
  const { body } = await client.post('/api/v1/webhook-subscriptions', { url: receiver.url, events });
  return body.data.signing_secret;
}

/** Half an hour of speech: minutes of work. */
async function longRecording(): Promise<string> {
  const file = join(dataDir, 'long.flac');
  const loop = ['-stream_loop', '300', '-i', recording, '-t', '1800', '-y', file];
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', ...loop]);
  return file;
}

async function untilRecognising(client: ApiClient, id: string): Promise<void> {
  const url = `${service.url}/api/v1/transcriptions/${id}/events`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${client.key}` } });
  for await (const { data } of streamEvents(response)) if (data.stage === 'recognising') return;
  assert.fail('the job was never recognised');
}

const namesIn = async (directory: string) => await readdir(directory, { recursive: true });

test('a job that is deleted while it is recognised is gone at once, and its receiver is told that it failed', async () => {
  const client = await newClient(service);
  const secret = await subscribe(client);
  const upload = await client.uploadFile(await longRecording());
  const id = (await client.post('/api/v1/transcriptions', { upload })).body.data.id;
  await untilRecognising(client, id);

  assert.deepEqual(await command('transcription', 'delete', id), { id, deleted: true, media_erased: true });
  assert.equal((await client.get(`/api/v1/transcriptions/${id}`)).status, 404);
  assert.deepEqual((await client.get('/api/v1/transcriptions')).body.data, []);
  const received = await eventually(() => receiver.received[0], 'the event');
  const event = verified(received, secret) as { type: string; data: { id: string } };
  assert.deepEqual([event.type, event.data.id], ['transcription.failed', id]);
  const [, , uploadId = ''] = upload.key.split('/');
  const left = (await namesIn(join(dataDir, 'objects'))).filter(
    (name) => name.includes(id) || name.includes(uploadId),
  );
  assert.deepEqual(left, []);

  // The worker is free: this would wait for minutes behind a recording that nobody wants any more.
  const next = await client.post('/api/v1/transcriptions', { upload: await client.uploadFile(recording) });
  assert.equal((await client.ended(next.body.data.id)).body.data.status, 'completed');
});

test('a deleted job is unknown to a repeated request with its idempotency key: a new job is made', async () => {
  const client = await newClient(service);
  const send = () =>
    client.post(
      '/api/v1/transcriptions',
      { source_url: `http://${receiver.target}/nothing.mp3` },
      { 'idempotency-key': 'once' },
    );
  const first = await send();
  assert.equal((await send()).body.data.id, first.body.data.id);
  await command('transcription', 'delete', first.body.data.id);
  const again = await send();
  assert.equal(again.status, 202);
  assert.notEqual(again.body.data.id, first.body.data.id);
});

test('an account is exported for its owner, then deleted: its keys stop, no file bears its id; others go on', async () => {
  const other = await newClient(service);
  const account = await command('account', 'create', 'leaving');
  const { key } = await command('key', 'create', '--account', account.id);
  const client = new ApiClient(service.url, key);
  const secret = await subscribe(client);
  const upload = await client.uploadFile(recording);
  const id = (await client.post('/api/v1/transcriptions', { upload })).body.data.id;
  await client.ended(id);
  await client.uploadFile(recording);

  const file = join(await temporaryDataDir(hooks), 'leaving.jsonl');
  const { rows } = await command('account', 'export', account.id, file);
  assert.deepEqual(rows, {
    account: 1,
    key: 1,
    usage: 1,
    upload: 2,
    subscription: 1,
    transcription: 1,
    event: 1,
  });
  const text = await readFile(file, 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const job = lines.find(({ kind }) => kind === 'transcription');
  assert.equal(job.id, id);
  assert.match(job.text, /not an ill[- ]disposed young man/i);
  assert.ok(job.segments.length > 0 && job.words.length > 0);
  assert.deepEqual(job.unclear, []);
  assert.equal(lines.find(({ kind }) => kind === 'subscription').url, receiver.url);
  for (const hidden of [key, secret, 'sealed', 'hash']) assert.ok(!text.includes(hidden), hidden);
  assert.equal((await stat(file)).mode & 0o777, 0o600);

  const deleted = await command('account', 'delete', account.id, '--yes');
  assert.deepEqual(deleted, { id: account.id, deleted: true, media_erased: true });
  const refused = await client.get('/api/v1/transcriptions');
  assert.deepEqual([refused.status, refused.body.error.code], [401, 'invalid_api_key']);
  const left = (await namesIn(dataDir)).filter((name) => name.includes(account.id) || name.includes(id));
  assert.deepEqual(left, []);
  const { accounts } = await command('account', 'list');
  assert.ok(!accounts.some((one: { id: string }) => one.id === account.id));
  assert.equal((await other.get('/api/v1/transcriptions')).status, 200);
});

test('what does not exist cannot be deleted: one sentence, exit code 1', async () => {
  const unknown = crypto.randomUUID();
  for (const id of [unknown, 'nonsense', '']) {
    for (const kind of ['transcription', 'account']) {
      const { code, stderr } = await longhand(service.environment, kind, 'delete', id, '--json');
      assert.deepEqual(
        [code, /^longhand: There is no (transcription|account) .*\n$/.test(stderr)],
        [1, true],
        stderr,
      );
    }
  }
});
