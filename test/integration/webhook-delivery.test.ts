import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Webhook as SvixWebhook } from 'svix';
import { deleteSubscription } from '../../src/webhook/delete-subscription.ts';
import type { LoggedDelivery } from '../../src/webhook/delivery-log-store.ts';
import { testCertificate } from '../fixtures/tls-certificate.ts';
import { eventually } from '../support/eventually.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { principalOfId } from '../support/principal.ts';
import { acknowledge, answerWith, openReceiver, verified } from '../support/webhook-receiver.ts';
import { openWorld, type WebhookWorld, type WorldOptions } from '../support/webhook-world.ts';

/** One account with one subscription to one receiver, and a running dispatcher. */
async function subscribed(t: TestContext, options: Omit<WorldOptions, 'allow'> & { tls?: boolean } = {}) {
  const receiver = await openReceiver(t, options.tls ? { tls: true } : {});
  const world = await openWorld(t, {
    ...options,
    allow: [receiver.target],
    ...(options.tls ? { trustedCertificates: testCertificate } : {}),
  });
  const accountId = await world.account();
  const { subscription, signingSecret } = await world.subscribe(accountId, receiver.url);
  world.startDispatcher();
  return { receiver, world, accountId, subscription, secret: signingSecret };
}

/** The next attempt comes so long after the last one ended, which was some time between its start and now. */
async function expectNextAfter(
  world: WebhookWorld,
  delivery: LoggedDelivery,
  seconds: number,
): Promise<void> {
  const startedMs = Date.parse(delivery.attempts.at(-1)?.startedAt ?? '');
  const nextMs = delivery.nextAttemptAt?.getTime() ?? 0;
  assert.ok(nextMs >= startedMs + seconds * 1_000, `${seconds} s or more`);
  assert.ok(nextMs <= (await world.now()).getTime() + seconds * 1_000, `${seconds} s at most`);
}

test('an ended job reaches the receiver, and both reference libraries verify it', async (t) => {
  const { receiver, world, accountId, secret } = await subscribed(t);
  const jobId = await world.endJob(accountId, { filename: 'Gespräch 会議 🎙.mp3', durationSeconds: 61.6 });
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'delivered');
  const [received] = receiver.received;
  assert.ok(received);
  const payload = verified(received, secret);
  assert.deepEqual(payload, {
    id: delivery.eventId,
    type: 'transcription.completed',
    created_at: delivery.createdAt.toISOString(),
    data: {
      id: jobId,
      filename: 'Gespräch 会議 🎙.mp3',
      status: 'completed',
      duration_seconds: 62,
      resource_url: `https://longhand.example.com/api/v1/transcriptions/${jobId}`,
    },
  });
  assert.equal(received.headers['webhook-id'], delivery.eventId);
  const headers = received.headers as Record<string, string>;
  assert.deepEqual(new SvixWebhook(secret).verify(received.body, headers), payload);
  const forged = Buffer.concat([received.body, Buffer.from(' ')]);
  assert.throws(() => new SvixWebhook(secret).verify(forged, headers), /signature/i);
});

test('the request says who sends it and carries nothing else', async (t) => {
  const { receiver, world, accountId } = await subscribed(t);
  await world.endJob(accountId);
  await world.deliveryAfter(1);
  const [received] = receiver.received;
  assert.ok(received);
  assert.equal(received.path, '/hooks?token=t0p');
  assert.match(received.headers['user-agent'] ?? '', /^Longhand-Webhooks\/\d/);
  assert.equal(received.headers['content-type'], 'application/json');
  assert.equal(Number(received.headers['content-length']), received.body.length);
  for (const name of ['cookie', 'authorization', 'referer', 'origin']) {
    assert.equal(received.headers[name], undefined, name);
  }
});

test('a failed job sends transcription.failed without the reason', async (t) => {
  const { receiver, world, accountId, secret } = await subscribed(t);
  await world.endJob(accountId, { status: 'failed', durationSeconds: null });
  await world.deliveryAfter(1);
  const [received] = receiver.received;
  assert.ok(received);
  const payload = verified(received, secret) as { type: string; data: Record<string, unknown> };
  assert.equal(payload.type, 'transcription.failed');
  assert.equal(payload.data.status, 'failed');
  assert.equal(payload.data.duration_seconds, null);
  assert.deepEqual(Object.keys(payload.data).toSorted(), [
    'duration_seconds',
    'filename',
    'id',
    'resource_url',
    'status',
  ]);
});

test('a retry has the same id and body, and a fresh timestamp and signature', async (t) => {
  const { receiver, world, accountId, secret } = await subscribed(t);
  receiver.answer = answerWith(500);
  await world.endJob(accountId);
  await world.deliveryAfter(1);
  receiver.answer = acknowledge;
  const [first] = receiver.received;
  const firstSecond = Number(first?.headers['webhook-timestamp']);
  await eventually(
    async () => Math.floor(Number(await world.now()) / 1_000) > firstSecond || undefined,
    'a second',
  );
  await world.pass(5_000);
  const delivery = await world.deliveryAfter(2);
  assert.equal(delivery.state, 'delivered');
  const [, second] = receiver.received;
  assert.ok(first && second);
  assert.deepEqual(second.body, first.body);
  assert.equal(second.headers['webhook-id'], first.headers['webhook-id']);
  assert.deepEqual(
    [first, second].map(({ headers }) => Number(headers['webhook-timestamp'])),
    delivery.attempts.map(({ startedAt }) => Math.floor(Date.parse(startedAt) / 1_000)),
  );
  assert.ok(Number(second.headers['webhook-timestamp']) > firstSecond);
  assert.notEqual(second.headers['webhook-signature'], first.headers['webhook-signature']);
  verified(first, secret);
  verified(second, secret);
});

test('a receiver that never answers well is tried seven times on the written schedule, then left alone', async (t) => {
  const { receiver, world, accountId } = await subscribed(t);
  receiver.answer = answerWith(503);
  await world.endJob(accountId);
  const steps = [5, 300, 1_800, 7_200, 18_000, 36_000];
  for (const [index, seconds] of steps.entries()) {
    const delivery = await world.deliveryAfter(index + 1);
    assert.equal(delivery.state, 'pending');
    await expectNextAfter(world, delivery, seconds);
    await world.pass(seconds * 1_000);
  }
  const delivery = await world.deliveryAfter(7);
  assert.equal(delivery.state, 'exhausted');
  assert.equal(delivery.nextAttemptAt, null);
  assert.equal(receiver.received.length, 7);
  assert.deepEqual(
    delivery.attempts.map(({ number, statusCode, error }) => [number, statusCode, error]),
    [1, 2, 3, 4, 5, 6, 7].map((number) => [number, 503, null]),
  );
  const [row] = await world.db.query<{ status: string }>('select status from webhook_subscription');
  assert.equal(row?.status, 'active');
});

test('Retry-After moves the next attempt, but not beyond twice the step', async (t) => {
  const { receiver, world, accountId } = await subscribed(t, { schedule: '0,100,100,100' });
  const answers = ['150', '100000', '1'];
  receiver.answer = (response) => {
    response.writeHead(429, { 'retry-after': answers.shift() ?? '0' }).end();
  };
  await world.endJob(accountId);
  for (const [index, expectedSeconds] of [150, 200, 100].entries()) {
    await expectNextAfter(world, await world.deliveryAfter(index + 1), expectedSeconds);
    await world.pass(expectedSeconds * 1_000);
  }
});

test('410 disables the subscription and cancels everything that waits for it', async (t) => {
  const { receiver, world, accountId, subscription } = await subscribed(t);
  receiver.answer = answerWith(500);
  for (let job = 0; job < 3; job += 1) await world.endJob(accountId);
  await eventually(async () => {
    const all = await world.deliveries();
    return (
      all.every((delivery) => delivery.attempts.length === 1 && delivery.state === 'pending') || undefined
    );
  }, 'a first attempt of each');
  receiver.answer = answerWith(410);
  await world.endJob(accountId);
  const states = await eventually(async () => {
    const all = (await world.deliveries()).map((delivery) => delivery.state);
    return all.every((state) => state !== 'pending' && state !== 'sending') ? all : undefined;
  }, 'every delivery to end');
  assert.deepEqual(states, ['gone', 'cancelled', 'cancelled', 'cancelled']);
  const requests = receiver.received.length;
  await world.endJob(accountId);
  await world.pass(100_000_000);
  await world.clock.advance(1_000);
  assert.equal((await world.deliveries()).length, 4, 'a disabled subscription gets no new deliveries');
  assert.equal(receiver.received.length, requests);
  const [row] = await world.db.query<{ status: string; disabled_at: Date }>(
    'select status, disabled_at from webhook_subscription where id = $1',
    [subscription.id],
  );
  assert.equal(row?.status, 'disabled');
  assert.ok(row?.disabled_at);
});

test('a deleted subscription gets no further attempt, and its log stays', async (t) => {
  const { receiver, world, accountId, subscription } = await subscribed(t);
  receiver.answer = answerWith(500);
  await world.endJob(accountId);
  await world.deliveryAfter(1);
  await deleteSubscription(world, principalOfId(accountId), subscription.id);
  await world.pass(100_000_000);
  await world.clock.advance(1_000);
  const [delivery] = await world.deliveries();
  assert.equal(delivery?.state, 'cancelled');
  assert.equal(delivery?.attempts.length, 1);
  assert.equal(receiver.received.length, 1);
});

test('a subscription deleted while its request is under way is not tried again', async (t) => {
  const { receiver, world, accountId, subscription } = await subscribed(t);
  const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
  receiver.answer = async (response) => {
    await mayAnswer;
    response.writeHead(500).end();
  };
  await world.endJob(accountId);
  await eventually(() => receiver.received.length === 1 || undefined, 'the request');
  await deleteSubscription(world, principalOfId(accountId), subscription.id);
  letAnswer();
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'cancelled');
});

test('only subscriptions that chose the type, are of the account and are active hear of a job', async (t) => {
  const receiver = await openReceiver(t);
  const world = await openWorld(t, { allow: [receiver.target] });
  const [mine, theirs] = [await world.account(), await world.account()];
  const both = await world.subscribe(mine, `${receiver.url}&both`);
  const completed = await world.subscribe(mine, `${receiver.url}&completed`, ['transcription.completed']);
  await world.subscribe(mine, `${receiver.url}&failed`, ['transcription.failed']);
  await world.subscribe(theirs, `${receiver.url}&theirs`);
  world.startDispatcher();
  await world.endJob(mine, { status: 'completed' });
  await eventually(async () => {
    const all = await world.deliveries();
    return (all.length === 2 && all.every((delivery) => delivery.state === 'delivered')) || undefined;
  }, 'two deliveries');
  assert.deepEqual(receiver.received.map(({ path }) => path.split('&')[1]).toSorted(), ['both', 'completed']);
  for (const received of receiver.received) {
    verified(received, received.path.endsWith('both') ? both.signingSecret : completed.signingSecret);
  }
});

test('a receiver over TLS with a trusted certificate is reached', async (t) => {
  const { receiver, world, accountId, secret } = await subscribed(t, { tls: true });
  await world.endJob(accountId);
  assert.equal((await world.deliveryAfter(1)).state, 'delivered');
  assert.ok(receiver.received[0]);
  verified(receiver.received[0], secret);
});

test('a dispatcher that stops cuts off what hangs: the attempt counts, the next one follows the schedule', async (t) => {
  const { receiver, world, accountId } = await subscribed(t);
  receiver.answer = () => {}; // Hangs.
  await world.endJob(accountId);
  await eventually(() => receiver.received.length === 1 || undefined, 'the request');
  await world.stop();
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'pending');
  assert.deepEqual(
    delivery.attempts.map(({ number, error }) => [number, error]),
    [[1, 'stopped']],
  );
  await expectNextAfter(world, delivery, 5);
});

test('a machine whose clock is hours off delays nothing, and its receivers accept the timestamps', async (t) => {
  for (const hours of [2, -2]) {
    const clock = new ManualClock(Date.now() + hours * 3_600_000);
    const { receiver, world, accountId, secret } = await subscribed(t, { clock });
    await world.endJob(accountId);
    const { state, createdAt } = await world.deliveryAfter(1);
    assert.equal(state, 'delivered');
    assert.ok(Math.abs(createdAt.getTime() - (await world.now()).getTime()) < 60_000);
    const [received] = receiver.received;
    // By the real time, as a receiver does it: within 300 s.
    new SvixWebhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>);
  }
});
