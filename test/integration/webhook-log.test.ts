import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { ApiError } from '../../src/contract/errors.ts';
import { SecretBox } from '../../src/platform/secret-box.ts';
import { defaultSlotLimits } from '../../src/webhook/delivery-slots.ts';
import { listDeliveries } from '../../src/webhook/list-deliveries.ts';
import { replayDelivery } from '../../src/webhook/replay-delivery.ts';
import { sendTestEvent } from '../../src/webhook/send-test-event.ts';
import { secretContext } from '../../src/webhook/subscription-secret.ts';
import { eventually } from '../support/eventually.ts';
import { principalOfId } from '../support/principal.ts';
import { acknowledge, answerWith, openReceiver, verified } from '../support/webhook-receiver.ts';
import { openWorld } from '../support/webhook-world.ts';

const isNotFound = (error: unknown) => error instanceof ApiError && error.code === 'not_found';
const publicUrl = 'https://longhand.example.com';

test('an owner sees, tests and replays own deliveries, and nobody else can', async (t) => {
  const receiver = await openReceiver(t);
  const world = await openWorld(t, { allow: [receiver.target], schedule: '0' });
  const ownerId = await world.account();
  const [owner, stranger] = [principalOfId(ownerId), principalOfId(await world.account())];
  const { subscription, signingSecret } = await world.subscribe(ownerId, receiver.url, [
    'transcription.failed',
  ]);
  const subscriptionId = subscription.id;
  const dispatcher = world.startDispatcher();
  const use = { db: world.db, publicUrl };

  await assert.rejects(sendTestEvent(use, stranger, subscriptionId), isNotFound);
  receiver.answer = answerWith(500);
  const { eventId } = await sendTestEvent(use, owner, subscriptionId);
  dispatcher.wake();
  const { id: deliveryId, state } = await world.deliveryAfter(1);
  assert.equal(state, 'exhausted');
  assert.equal(verified(receiver.received[0] ?? assert.fail(), signingSecret).type, 'transcription.failed');

  assert.equal((await listDeliveries(use, owner, { limit: 10 })).length, 1);
  assert.deepEqual(await listDeliveries(use, stranger, { limit: 10 }), []);
  assert.deepEqual(await listDeliveries(use, owner, { subscriptionId: randomUUID(), limit: 10 }), []);

  await assert.rejects(replayDelivery(use, stranger, deliveryId), isNotFound);
  await assert.rejects(replayDelivery(use, owner, '999999'), isNotFound);
  await assert.rejects(replayDelivery(use, owner, 'x'), isNotFound);
  receiver.answer = acknowledge;
  await replayDelivery(use, owner, deliveryId);
  dispatcher.wake();
  const replayed = await world.deliveryAfter(2);
  assert.equal(replayed.state, 'delivered');
  assert.deepEqual(
    replayed.attempts.map(({ round, number, statusCode }) => [round, number, statusCode]),
    [
      [1, 1, 500],
      [2, 1, 204],
    ],
  );
  assert.deepEqual(receiver.received[0]?.body, receiver.received[1]?.body);
  assert.equal(receiver.received[1]?.headers['webhook-id'], eventId);
});

test('a delivery that waits or is under way cannot be replayed', async (t) => {
  const receiver = await openReceiver(t);
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  await world.subscribe(accountId, receiver.url);
  await world.endJob(accountId);
  const [delivery] = await world.deliveries();
  await assert.rejects(replayDelivery(world, principalOfId(accountId), delivery?.id ?? ''), isNotFound);
});

test('a receiver that hangs does not hold up another', async (t) => {
  const [hanging, quick] = [await openReceiver(t, { answer: () => {} }), await openReceiver(t)];
  const world = await openWorld(t, { allow: [hanging.target, quick.target] });
  const accountId = await world.account();
  await world.subscribe(accountId, hanging.url);
  await world.subscribe(accountId, quick.url);
  world.startDispatcher();
  for (let job = 0; job < 50; job += 1) await world.endJob(accountId);
  await eventually(() => quick.received.length === 50 || undefined, 'all fifty at the quick receiver');
  assert.equal(
    hanging.received.length,
    defaultSlotLimits.perReceiverMax,
    'the hanging one has its own slots only',
  );
});

test('a secret that cannot be opened costs the receiver no attempt, and is sent when the key is back', async (t) => {
  const receiver = await openReceiver(t);
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  const { subscription, signingSecret } = await world.subscribe(accountId, receiver.url);
  const otherBox = new SecretBox([randomBytes(32)]);
  const seal = async (box: SecretBox) =>
    world.db.query('update webhook_subscription set sealed_secret = $1', [
      box.seal(signingSecret, secretContext(subscription.id)),
    ]);
  await seal(otherBox);
  world.startDispatcher();
  await world.endJob(accountId);
  const waiting = await eventually(async () => {
    const [delivery] = await world.deliveries();
    const dueAt = delivery?.state === 'pending' ? delivery.nextAttemptAt : null;
    return dueAt && dueAt > (await world.now()) ? delivery : undefined;
  }, 'the delivery to be put off');
  assert.deepEqual(waiting.attempts, []);
  await seal(world.secretBox);
  await world.pass(60_000);
  const delivery = await world.deliveryAfter(1);
  assert.equal(delivery.state, 'delivered');
  assert.equal(delivery.attempts[0]?.number, 1);
});
