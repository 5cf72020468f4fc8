/** Subscriptions, events and deliveries of the specification, as a receiver sees them. */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { after, test } from 'node:test';
import { type ApiClient, newClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { eventually } from '../support/eventually.ts';
import { longhand, runService } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';
import { acknowledge, answerWith, openReceiver, verified } from '../support/webhook-receiver.ts';

const path = '/api/v1/webhook-subscriptions';
const receiver = await openReceiver({ after });
const service = await runService(
  { after },
  { LONGHAND_EGRESS_ALLOW: receiver.target, LONGHAND_WEBHOOK_SCHEDULE: '0,1,1,1,1,1,1' },
);
const bothTypes = ['transcription.completed', 'transcription.failed'];

async function subscribe(client: ApiClient, events = bothTypes) {
  const answer = await client.post(path, { url: receiver.url, events });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return { answer, id: answer.body.data.id as string, secret: answer.body.data.signing_secret as string };
}

async function failedJob(client: ApiClient): Promise<string> {
  const source_url = `http://${receiver.target}/missing.mp3`;
  return (await client.post('/api/v1/transcriptions', { source_url })).body.data.id;
}

/** The deliveries that tell of a job, as soon as there are so many. */
async function deliveriesOf(jobId: string, count: number) {
  const told = () => receiver.received.filter(({ body }) => JSON.parse(body.toString()).data.id === jobId);
  await eventually(() => told().length >= count || undefined, `${count} deliveries`);
  return told();
}

test('a subscription is shown whole once, listed without secret and path, newest first, and deleted', async () => {
  const client = await newClient(service);
  assert.deepEqual((await client.get(path)).body, { data: [] });
  const { answer, id, secret } = await subscribe(client);
  const { created_at } = answer.body.data;
  const common = { id, events: bothTypes, status: 'active', created_at, disabled_at: null };
  assert.deepEqual(answer.body, { data: { ...common, url: receiver.url, signing_secret: secret } });
  assert.equal(answer.headers.get('location'), `${path}/${id}`);
  assert.match(secret, /^whsec_[A-Za-z0-9+/]+=*$/);
  const second = await subscribe(client, ['transcription.failed']);
  assert.notEqual(second.secret, secret);
  const listed = (await client.get(path)).body.data;
  assert.deepEqual(
    listed.map((one: { id: string }) => one.id),
    [second.id, id],
  );
  assert.deepEqual(listed[1], { ...common, url: `http://${receiver.target}…` });
  const stranger = await newClient(service);
  assert.deepEqual((await stranger.get(path)).body, { data: [] });
  assertError(await stranger.send('DELETE', `${path}/${id}`), { status: 404, code: 'not_found' });
  const deleted = await client.send('DELETE', `${path}/${id}`);
  assert.deepEqual([deleted.status, deleted.body], [204, undefined]);
  assertError(await client.send('DELETE', `${path}/${id}`), { status: 404, code: 'not_found' });
  assert.equal((await client.get(path)).body.data.length, 1);
});

test('an event has exactly the specified fields and headers, verifies by hand, and leads to the job', async () => {
  const client = await newClient(service);
  const { secret } = await subscribe(client);
  const upload = await client.upload('quiet.wav', wavBytes(2, 0));
  const jobId = (await client.post('/api/v1/transcriptions', { upload })).body.data.id;
  const [received] = await deliveriesOf(jobId, 1);
  assert.ok(received);
  const event = JSON.parse(received.body.toString());
  assert.deepEqual(event, {
    id: event.id,
    type: 'transcription.completed',
    created_at: new Date(event.created_at).toISOString(),
    data: {
      id: jobId,
      filename: 'quiet.wav',
      status: 'completed',
      duration_seconds: 2,
      resource_url: `${service.url}/api/v1/transcriptions/${jobId}`,
    },
  });
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signature,
  } = received.headers;
  assert.equal(id, event.id);
  assert.ok(Math.abs(Number(timestamp) - Date.now() / 1000) < 300);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), received.body]);
  assert.equal(signature, `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  const own = await fetch(event.data.resource_url, { headers: { authorization: `Bearer ${client.key}` } });
  assert.equal(((await own.json()) as { data: { status: string } }).data.status, 'completed');
  assert.equal((await fetch(event.data.resource_url)).status, 401);
  const stranger = await newClient(service);
  const foreign = await fetch(event.data.resource_url, {
    headers: { authorization: `Bearer ${stranger.key}` },
  });
  assert.equal(foreign.status, 404);
});

test('each ended job is told to every active subscription of its account that chose the type, and to no other', async () => {
  const client = await newClient(service);
  const both = await subscribe(client);
  const failed = await subscribe(client, ['transcription.failed']);
  const completed = await subscribe(client, ['transcription.completed']);
  const stranger = await newClient(service);
  const foreign = await subscribe(stranger);
  const jobId = await failedJob(client);
  const received = await deliveriesOf(jobId, 2);
  assert.equal(received.length, 2);
  for (const one of received) {
    const { type, data } = JSON.parse(one.body.toString());
    assert.deepEqual([type, data.status, data.duration_seconds], ['transcription.failed', 'failed', null]);
    assert.ok(!('error' in data || 'text' in data || 'segments' in data));
  }
  const opens = (secret: string) =>
    received.filter((one) => {
      try {
        return Boolean(verified(one, secret));
      } catch {
        return false;
      }
    }).length;
  assert.deepEqual(
    [both, failed, completed, foreign].map(({ secret }) => opens(secret)),
    [1, 1, 0, 0],
  );
});

test('an event is tried seven times in total, with the same id and body and a fresh signature, then given up', async () => {
  const client = await newClient(service);
  const { id, secret } = await subscribe(client);
  receiver.answer = answerWith(500);
  try {
    const jobId = await failedJob(client);
    const attempts = await deliveriesOf(jobId, 7);
    assert.equal(new Set(attempts.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(attempts.map(({ body }) => body.toString())).size, 1);
    assert.ok(new Set(attempts.map(({ headers }) => headers['webhook-timestamp'])).size > 1);
    for (const attempt of attempts) verified(attempt, secret);
    const ended = await eventually(async () => {
      const args = ['webhook', 'deliveries', '--subscription', id, '--json'];
      const { deliveries } = JSON.parse((await longhand(service.environment, ...args)).stdout);
      return deliveries.find(({ state }: { state: string }) => state === 'exhausted');
    }, 'the delivery to be given up');
    assert.equal(ended.attempts.length, 7);
    assert.equal((await deliveriesOf(jobId, 7)).length, 7);
  } finally {
    receiver.answer = acknowledge;
  }
  const [listed] = (await client.get(path)).body.data;
  assert.deepEqual([listed.id, listed.status], [id, 'active']);
});

test('410 Gone disables the subscription at once; it can be deleted and made anew', async () => {
  const client = await newClient(service);
  const { id } = await subscribe(client);
  receiver.answer = answerWith(410);
  try {
    const jobId = await failedJob(client);
    await deliveriesOf(jobId, 1);
    const disabled = await eventually(async () => {
      const [listed] = (await client.get(path)).body.data;
      return listed.status === 'disabled' ? listed : undefined;
    }, 'the subscription to be disabled');
    assert.equal(new Date(disabled.disabled_at).toISOString(), disabled.disabled_at);
    assert.equal((await deliveriesOf(jobId, 1)).length, 1);
  } finally {
    receiver.answer = acknowledge;
  }
  assert.equal((await client.send('DELETE', `${path}/${id}`)).status, 204);
  const again = await subscribe(client);
  assert.notEqual(again.id, id);
  assert.equal((await deliveriesOf(await failedJob(client), 1)).length, 1);
});

test('an account has at most 20 active subscriptions; the next is webhook_subscription_limit_reached', async () => {
  const client = await newClient(service);
  const first = await subscribe(client);
  for (let count = 1; count < 20; count += 1) await subscribe(client);
  const refused = await client.post(path, { url: receiver.url, events: bothTypes });
  assertError(refused, { status: 409, code: 'webhook_subscription_limit_reached' });
  assert.equal((await client.get(path)).body.data.length, 20);
  await client.send('DELETE', `${path}/${first.id}`);
  await subscribe(client);
});

test('events must be a non-empty list of the two types', async () => {
  const client = await newClient(service);
  for (const events of [
    [],
    ['transcription.created'],
    ['transcription.failed', 'x'],
    'transcription.failed',
    {},
    null,
  ]) {
    const answer = await client.post(path, { url: receiver.url, events });
    assertError(answer, { status: 400, code: 'invalid_webhook_events' });
  }
  assertError(await client.post(path, { url: receiver.url }), {
    status: 400,
    code: 'invalid_webhook_events',
  });
  for (const url of [
    undefined,
    null,
    '',
    'x',
    'http://example.com/',
    'https://example.com:8443/',
    'https://10.0.0.1/',
  ]) {
    assertError(await client.post(path, { url, events: bothTypes }), {
      status: 400,
      code: 'invalid_webhook_url',
    });
  }
});

test('where secrets cannot be sealed, creating a subscription is webhooks_unavailable', async (t) => {
  const keyless = await runService(t, { LONGHAND_SECRET_KEY: '' });
  const client = await newClient(keyless);
  const answer = await client.post(path, { url: 'https://93.184.215.14/', events: bothTypes });
  assertError(answer, { status: 503, code: 'webhooks_unavailable' });
  assert.deepEqual((await client.get(path)).body, { data: [] });
});
