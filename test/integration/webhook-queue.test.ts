/** Events, pending deliveries and leases in the database, without a network. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { SettledDelivery } from '../../src/webhook/delivery.ts';
import { deliveryLogStore } from '../../src/webhook/delivery-log-store.ts';
import { deliveryStore } from '../../src/webhook/delivery-store.ts';
import { recordTerminalEvent } from '../../src/webhook/record-terminal-event.ts';
import { defaultScheduleSetting, parseRetrySchedule } from '../../src/webhook/retry-schedule.ts';
import { subscriptionStore } from '../../src/webhook/subscription-store.ts';
import { openWorld, type WebhookWorld } from '../support/webhook-world.ts';

const dayMs = 86_400_000;
const leaseMs = 30_000;
const schedule = parseRetrySchedule(defaultScheduleSetting);

async function subscribed(t: TestContext) {
  const world = await openWorld(t, { resolve: async () => ['93.184.215.14'] });
  const accountId = await world.account();
  const { subscription } = await world.subscribe(accountId, 'https://hooks.example.com/');
  return { world, accountId, subscriptionId: subscription.id };
}

async function claim(world: WebhookWorld, subscriptionId: string, slots = 10) {
  const grants = [{ subscriptionId, slots }];
  return await deliveryStore.claim(world.db, { grants, leaseId: randomUUID(), leaseMs });
}

function endInterrupted(world: WebhookWorld): Promise<number> {
  return deliveryStore.endInterrupted(world.db, { schedule, leaseMs });
}

function delivered(delivery: SettledDelivery['delivery']): SettledDelivery {
  return {
    delivery,
    durationMs: 1,
    outcome: { kind: 'answered', statusCode: 204, retryAfter: undefined },
    settlement: { state: 'delivered' },
  };
}

test('a transaction that fails leaves no event; one that is repeated leaves one', async (t) => {
  const { world, accountId } = await subscribed(t);
  const job = {
    id: randomUUID(),
    accountId,
    filename: 'a.mp3',
    status: 'completed' as const,
    durationSeconds: 1,
  };
  const options = { publicUrl: 'https://longhand.example.com', schedule: parseRetrySchedule('0') };
  await assert.rejects(
    world.db.transaction(async (tx) => {
      await recordTerminalEvent(tx, job, options);
      throw new Error('the job could not be ended');
    }),
  );
  assert.deepEqual(await world.deliveries(), []);
  const finishers = Array.from({ length: 8 }, () =>
    world.db.transaction((tx) => recordTerminalEvent(tx, job, options)),
  );
  const counts = (await Promise.all(finishers)).map(({ deliveries }) => deliveries);
  assert.deepEqual(counts.toSorted(), [0, 0, 0, 0, 0, 0, 0, 1]);
  assert.equal((await world.deliveries()).length, 1);
});

test('processes that claim at once never hold the same delivery', async (t) => {
  const { world, accountId, subscriptionId } = await subscribed(t);
  for (let job = 0; job < 30; job += 1) await world.endJob(accountId);
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(world, subscriptionId, 5)));
  const ids = claims.flat().map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  assert.equal((await claim(world, subscriptionId, 100)).length, 30 - ids.length);
});

test('the delivery of a dead process is free again when its lease ends, and not before', async (t) => {
  const { world, accountId, subscriptionId } = await subscribed(t);
  await world.endJob(accountId);
  const [held] = await claim(world, subscriptionId);
  assert.equal(held?.attempt, 1);
  assert.equal(await endInterrupted(world), 0);
  await world.pass(leaseMs);
  assert.equal(await endInterrupted(world), 1);
  assert.deepEqual(await claim(world, subscriptionId), [], 'the next attempt follows the schedule');
  await world.pass(5_000);
  const [again] = await claim(world, subscriptionId);
  assert.equal(again?.id, held.id);
  assert.equal(again?.attempt, 2, 'the interrupted attempt counts');
  await deliveryStore.settle(world.db, [delivered(held)]);
  const [delivery] = await world.deliveries();
  assert.equal(delivery?.state, 'sending', 'a process that lost its lease changes nothing');
  assert.deepEqual(
    delivery?.attempts.map(({ number, error, durationMs }) => [number, error, durationMs]),
    [[1, 'interrupted', null]],
  );
});

test('a delivery on which seven processes died is given up', async (t) => {
  const { world, accountId, subscriptionId } = await subscribed(t);
  await world.endJob(accountId);
  for (const stepMs of [...schedule.stepsMs.slice(1), 0]) {
    assert.equal((await claim(world, subscriptionId)).length, 1);
    await world.pass(leaseMs);
    assert.equal(await endInterrupted(world), 1);
    await world.pass(stepMs);
  }
  assert.equal((await world.deliveries())[0]?.state, 'exhausted');
  assert.equal((await claim(world, subscriptionId)).length, 0);
});

test('an interrupted delivery of a removed subscription is cancelled', async (t) => {
  const { world, accountId, subscriptionId } = await subscribed(t);
  await world.endJob(accountId);
  await claim(world, subscriptionId);
  await subscriptionStore.remove(world.db, { id: subscriptionId, accountId });
  await world.pass(leaseMs);
  await endInterrupted(world);
  assert.equal((await world.deliveries())[0]?.state, 'cancelled');
});

test('what is given back costs no attempt and waits again, unless its subscription is gone', async (t) => {
  const { world, accountId, subscriptionId } = await subscribed(t);
  await world.endJob(accountId);
  await world.endJob(accountId);
  const [first, second] = await claim(world, subscriptionId);
  assert.ok(first && second);
  await deliveryStore.giveBack(world.db, { ...first, delayMs: 0 });
  assert.deepEqual(
    (await claim(world, subscriptionId)).map(({ id, attempt }) => [id, attempt]),
    [[first.id, 1]],
  );
  await subscriptionStore.remove(world.db, { id: subscriptionId, accountId });
  await deliveryStore.giveBack(world.db, { ...second, delayMs: 0 });
  const states = (await world.deliveries()).map(({ id, state }) => [id, state]);
  assert.deepEqual(states, [
    [second.id, 'cancelled'],
    [first.id, 'sending'],
  ]);
});

test('only receivers whose next delivery is due are found, the longest due first', async (t) => {
  const { world, accountId, subscriptionId } = await subscribed(t);
  await world.endJob(accountId);
  const otherAccount = await world.account();
  const other = await world.subscribe(otherAccount, 'https://hooks.example.com/');
  await world.endJob(otherAccount);
  const found = async () => (await deliveryStore.dueReceivers(world.db)).due;
  assert.deepEqual(await found(), [subscriptionId, other.subscription.id]);
  await claim(world, subscriptionId);
  assert.deepEqual(await found(), [other.subscription.id]);
  await world.db.query(
    `update webhook_delivery set next_attempt_at = now() + interval '1 minute' where state = 'pending'`,
  );
  assert.deepEqual(await found(), []);
  const { nextInMs } = await deliveryStore.dueReceivers(world.db);
  assert.ok(nextInMs !== null && nextInMs > 50_000 && nextInMs <= 60_000);
});

test('events are forgotten after their days, but not while somebody waits for them', async (t) => {
  const { world, accountId, subscriptionId } = await subscribed(t);
  await world.endJob(accountId);
  const [done] = await claim(world, subscriptionId);
  assert.ok(done);
  await deliveryStore.settle(world.db, [delivered(done)]);
  await world.endJob(accountId);
  const sweep = (days: number) => deliveryLogStore.sweep(world.db, days);
  await world.pass(29.9 * dayMs);
  assert.deepEqual(await sweep(30), { events: 0 });
  await world.pass(0.2 * dayMs);
  assert.deepEqual(await sweep(30), { events: 1 });
  assert.deepEqual(
    (await world.deliveries()).map(({ state }) => state),
    ['pending'],
  );
});
