/** A job followed while it is made. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { ApiClient, newClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { fixtureSamples, silence } from '../support/audio.ts';
import { type StreamEvent, streamEvents } from '../support/event-stream.ts';
import { longhand, runService } from '../support/service.ts';
import { wavBytes, wavOf } from '../support/wav-bytes.ts';

/** Takes requests and never answers: a job that asks it stays processing. */
const silent = createServer(() => {}).listen(0, '127.0.0.1');
await once(silent, 'listening');
const { port: silentPort } = silent.address() as AddressInfo;
after(() => silent.closeAllConnections());
after(() => silent.close());

/** One chunk after the other, so that the text comes in parts however fast the machine is. */
const service = await runService(
  { after },
  { LONGHAND_EGRESS_ALLOW: `127.0.0.1:${silentPort}`, LONGHAND_WORKERS: '1' },
);
const client = await newClient(service);
const path = '/api/v1/transcriptions';

/** Several chunks, so that there is something to follow. */
async function startLongJob(options: object = {}): Promise<string> {
  const names = ['austen-870.flac', 'austen-880.flac', 'austen-930.flac'];
  const clips = await Promise.all(names.map((name) => fixtureSamples(name)));
  const talk = Buffer.concat([...clips, ...clips, ...clips].flatMap((clip) => [clip, silence(2.5)]));
  const upload = await client.upload('talk.wav', wavOf(talk));
  const created = await client.post(path, { upload, ...options });
  assert.equal(created.status, 202);
  return created.body.data.id;
}

async function open(id: string, lastEventId?: string, key = client.key): Promise<Response> {
  const headers = {
    authorization: `Bearer ${key}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  };
  return await fetch(`${service.url}${path}/${id}/events`, { headers, signal: AbortSignal.timeout(120_000) });
}

async function collect(response: Response, enough: (event: StreamEvent) => boolean = () => false) {
  const events: StreamEvent[] = [];
  for await (const event of streamEvents(response)) {
    events.push(event);
    if (enough(event)) break;
  }
  return events;
}

const textOf = (events: readonly StreamEvent[]): string =>
  events.flatMap(({ name, data }) => (name === 'text' ? [data.text] : [])).join('');

test('the text of a job comes in parts while it is made, each once, and the last event is the job itself', async () => {
  const id = await startLongJob();
  const response = await open(id);
  assert.equal(response.status, 200);
  assert.match(response.headers.get('content-type') ?? '', /^text\/event-stream/);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  assert.match(response.headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  const events = await collect(response);
  const { data: job } = (await client.get(`${path}/${id}`)).body;
  assert.equal(job.status, 'completed');
  assert.deepEqual(events.at(-1), { id: undefined, name: 'completed', data: job });
  assert.equal(textOf(events), job.text);
  const parts = events.filter(({ name }) => name === 'text');
  assert.ok(parts.length >= 2, `${parts.length} parts`);
  const segments = parts.flatMap(({ data }) => data.segments);
  // The specification's own answer has neither language nor confidence; the stream is ours.
  assert.deepEqual(
    segments.map(({ start, end, text }) => ({ start, end, text })),
    job.segments,
  );
  for (const { language, confidence } of segments) {
    assert.equal(language, 'en');
    assert.ok(confidence > 0.5 && confidence <= 1, `${confidence}`);
  }
  assert.deepEqual(
    parts.map((part) => part.id),
    parts.map(({ data }) => String(data.sequence)),
  );
  const progress = events.filter(({ name }) => name === 'progress').map(({ data }) => data);
  const percents = progress.map(({ percent }) => percent);
  assert.deepEqual(
    percents,
    percents.toSorted((a, b) => a - b),
  );
  assert.ok(progress.some(({ stage }) => stage === 'recognising'));
  assert.ok(progress.some(({ audio_seconds_total }) => audio_seconds_total > 60));
});

test('a reader that comes again gets what follows the event it names, also after the end', async () => {
  const id = await startLongJob();
  const first = await collect(await open(id), ({ name }) => name === 'text');
  const rest = await collect(await open(id, first.at(-1)?.id));
  const { data: job } = (await client.get(`${path}/${id}`)).body;
  assert.equal(textOf(first) + textOf(rest), job.text);
  const late = await collect(await open(id));
  assert.equal(textOf(late), job.text);
  const nothingNew = await collect(await open(id, late.findLast(({ name }) => name === 'text')?.id));
  assert.deepEqual(
    nothingNew.map(({ name }) => name),
    ['completed'],
  );
  const odd = await collect(await open(id, 'no number of ours'));
  assert.equal(textOf(odd), job.text);
});

test('speakers are known at the end, whose event replaces the parts', async () => {
  const id = await startLongJob({ speaker_diarization: true });
  const events = await collect(await open(id));
  const { data: job } = (await client.get(`${path}/${id}`)).body;
  assert.deepEqual(events.at(-1)?.data, job);
  assert.ok(job.segments.every((segment: { speaker?: unknown }) => segment.speaker !== undefined));
});

test('a job that fails ends its stream with the failure', async () => {
  const broken = wavBytes(1, 0).subarray(0, 44);
  broken.writeUInt32LE(0, 40);
  const upload = await client.upload('empty.wav', Buffer.concat([broken, Buffer.alloc(2)]));
  const created = await client.post(path, { upload });
  const events = await collect(await open(created.body.data.id));
  const { data: job } = (await client.get(`${path}/${created.body.data.id}`)).body;
  assert.deepEqual(events.at(-1), { id: undefined, name: job.status, data: job });
});

test('another account, an unknown job and a missing key get the same answers as everywhere', async () => {
  const id = await startLongJob();
  const stranger = await newClient(service);
  assertError(await stranger.get(`${path}/${id}/events`), { status: 404, code: 'not_found' });
  assertError(await client.get(`${path}/nothing/events`), { status: 404, code: 'not_found' });
  const keyless = await fetch(`${service.url}${path}/${id}/events`);
  assert.equal(keyless.status, 401);
  await client.ended(id);
});

test('revoking the key ends the streams that it opened', async () => {
  const json = async (...args: string[]) =>
    JSON.parse((await longhand(service.environment, ...args, '--json')).stdout);
  const account = await json('account', 'create', 'reader', '--plan', 'pro');
  const key = await json('key', 'create', '--account', account.id);
  const reader = new ApiClient(service.url, key.key);
  const created = await reader.post(path, { source_url: `http://127.0.0.1:${silentPort}/never.mp3` });
  assert.equal(created.status, 202);
  const ended = collect(await open(created.body.data.id, undefined, key.key));
  await json('key', 'revoke', key.id);
  const events = await ended;
  assert.ok(events.every(({ name }) => name === 'progress'));
});
