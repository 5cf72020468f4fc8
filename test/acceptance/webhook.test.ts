import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { eventually } from '../support/eventually.ts';
import { type Environment, longhand, startService, testEnvironment } from '../support/service.ts';
import {
  acknowledge,
  answerWith,
  openReceiver,
  type ReceivedWebhook,
  verified,
} from '../support/webhook-receiver.ts';

const path = '/api/v1/webhook-subscriptions';
const hooks = { after };
const receiver = await openReceiver(hooks);
const environment = await testEnvironment(hooks, {
  LONGHAND_EGRESS_ALLOW: receiver.target,
  LONGHAND_WEBHOOK_SCHEDULE: '0,1,1,1,1,1,1',
  LONGHAND_METRICS: 'true',
});
const service = await startService(environment);
onCleanup(hooks, () => service.stop());
const client = await newClient(service);

async function command(...args: string[]) {
  const { code, stdout, stderr } = await longhand(environment, 'webhook', ...args, '--json');
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

async function subscribe(): Promise<{ id: string; secret: string }> {
  receiver.received.length = 0;
  const events = ['transcription.completed', 'transcription.failed'];
  const { status, body } = await client.post(path, { url: receiver.url, events });
  assert.equal(status, 201);
  return { id: body.data.id, secret: body.data.signing_secret };
}

async function nextReceived(count = 1): Promise<ReceivedWebhook> {
  return await eventually(() => receiver.received[count - 1], `webhook number ${count}`);
}

test('a job that ends is told to its receiver, with a link to the job', async () => {
  const { id, secret } = await subscribe();
  const created = await client.post('/api/v1/transcriptions', {
    source_url: `http://${receiver.target}/missing.mp3`,
  });
  assert.equal(created.status, 202);
  const jobId = created.body.data.id;
  const received = await nextReceived();
  const event = verified(received, secret) as { type: string; data: Record<string, string> };
  assert.equal(event.type, 'transcription.failed');
  assert.equal(event.data.id, jobId);
  assert.equal(event.data.resource_url, `${service.url}/api/v1/transcriptions/${jobId}`);
  const job = await client.get(`/api/v1/transcriptions/${jobId}`);
  assert.equal(job.body.data.status, 'failed');
  assert.equal((await client.send('DELETE', `${path}/${id}`)).status, 204);
});

test('the counters tell attempts by outcome, and how many deliveries wait', async () => {
  const counted = async (series: string) => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`${series} `));
    assert.ok(line, `${series} is there`);
    return Number(line.slice(series.length));
  };
  const [delivered, gone] = ['delivered', 'gone'].map(
    (outcome) => `longhand_webhook_attempts_total{outcome="${outcome}"}`,
  ) as [string, string];
  const before = { delivered: await counted(delivered), gone: await counted(gone) };
  const { id } = await subscribe();
  await command('test', id);
  await nextReceived();
  await eventually(
    async () => (await counted(delivered)) === before.delivered + 1 || undefined,
    'the delivery in the counters',
  );
  receiver.answer = answerWith(410);
  await command('test', id);
  await eventually(
    async () => (await counted(gone)) === before.gone + 1 || undefined,
    'the 410 in the counters',
  );
  receiver.answer = acknowledge;
  assert.equal(await counted('longhand_webhook_deliveries_pending{state="due"}'), 0);
  assert.equal(await counted('longhand_webhook_deliveries_pending{state="later"}'), 0);
  await client.send('DELETE', `${path}/${id}`);
});

test('the command line lists, tests and replays', async () => {
  const { id, secret } = await subscribe();
  const { subscriptions } = await command('list');
  const listed = subscriptions.find((one: { id: string }) => one.id === id);
  assert.equal(listed.url, `http://${receiver.target}…`);
  assert.equal(listed.signing_secret, undefined);
  const { event_id } = await command('test', id);
  const first = await nextReceived();
  assert.equal(verified(first, secret).id, event_id);
  const delivery = await eventually(async () => {
    const { deliveries } = await command('deliveries', '--subscription', id);
    return deliveries.find((one: { state: string }) => one.state === 'delivered');
  }, 'the delivery in the log');
  assert.equal(delivery.attempts.length, 1);
  assert.equal(delivery.attempts[0].status_code, 204);
  await command('replay', delivery.id);
  const second = await nextReceived(2);
  assert.deepEqual(second.body, first.body);
  assert.equal(second.headers['webhook-id'], event_id);
  await client.send('DELETE', `${path}/${id}`);
  const { code, stderr } = await longhand(environment, 'webhook', 'test', id);
  assert.equal(code, 2);
  assert.match(stderr, /^longhand: There is no active subscription/);
});

test('a service with another key does not start, and says what to do; with both keys it does', async () => {
  const { id, secret } = await subscribe();
  await service.stop();
  const other = Buffer.alloc(32, 2).toString('base64');
  const wrong: Environment = { ...environment, LONGHAND_SECRET_KEY: other };
  const refused = await longhand(wrong, 'serve');
  assert.equal(refused.code, 1);
  assert.match(
    refused.stderr,
    /LONGHAND_SECRET_KEY does not open the signing secrets of active webhook subscriptions \(1 sealed/,
  );

  const rotated = { ...environment, LONGHAND_SECRET_KEY: `${other},${environment.LONGHAND_SECRET_KEY}` };
  const running = await startService(rotated);
  try {
    await longhand(rotated, 'webhook', 'test', id);
    verified(await nextReceived(), secret);
    const resealed = await longhand(rotated, 'webhook', 'reseal', '--json');
    assert.equal(JSON.parse(resealed.stdout).resealed, 1);
  } finally {
    await running.stop();
  }

  const renewed = await startService(wrong);
  try {
    await longhand(wrong, 'webhook', 'test', id);
    verified(await nextReceived(2), secret);
  } finally {
    await renewed.stop();
  }
});
