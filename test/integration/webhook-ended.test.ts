/** What is sent to a receiver once its subscription has ended: nothing more. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { deleteSubscription } from '../../src/webhook/delete-subscription.ts';
import { defaultSlotLimits } from '../../src/webhook/delivery-slots.ts';
import { eventually } from '../support/eventually.ts';
import { principalOfId } from '../support/principal.ts';
import { acknowledge, answerWith, openReceiver } from '../support/webhook-receiver.ts';
import { openWorld } from '../support/webhook-world.ts';

const jobs = 60;
const answeredFirst = 20;
const slots = defaultSlotLimits.perReceiverMax;

/** A receiver that has answered twenty deliveries at once and now holds every further one open. */
async function withAllSlotsHeld(t: TestContext) {
  const held: ((status: number) => void)[] = [];
  const receiver = await openReceiver(t, {
    answer: (response, received, request) => {
      if (receiver.received.length <= answeredFirst) void acknowledge(response, received, request);
      else held.push((status) => response.writeHead(status).end());
    },
  });
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  const { subscription } = await world.subscribe(accountId, receiver.url);
  for (let job = 0; job < jobs; job += 1) await world.endJob(accountId);
  world.startDispatcher();
  await eventually(() => held.length === slots || undefined, 'every slot to be held');
  await eventually(async () => {
    const all = await world.deliveries();
    return all.filter(({ state }) => state === 'delivered').length === answeredFirst || undefined;
  }, 'the answered ones to be stored');
  const answerHeld = (status: number) => {
    for (const answer of held.splice(0)) answer(status);
  };
  const allEnded = async () => {
    await eventually(async () => {
      answerHeld(204);
      const all = await world.deliveries();
      return all.every(({ state }) => state !== 'pending' && state !== 'sending') || undefined;
    }, 'every delivery to end');
    await world.pass(100_000);
    const states = Object.groupBy(await world.deliveries(), ({ state }) => state);
    return { delivered: states.delivered?.length ?? 0, cancelled: states.cancelled?.length ?? 0, states };
  };
  return { receiver, world, accountId, id: subscription.id, answerHeld, allEnded };
}

for (const process of ['the same', 'another']) {
  test(`after a delete in ${process} process only what was under way ends`, async (t) => {
    const { receiver, world, accountId, id, answerHeld, allEnded } = await withAllSlotsHeld(t);
    const afterRemoval = process === 'another' ? () => {} : world.afterRemoval;
    await deleteSubscription({ ...world, afterRemoval }, principalOfId(accountId), id);
    answerHeld(204);
    const { delivered, cancelled } = await allEnded();
    assert.equal(receiver.received.length, answeredFirst + slots);
    assert.deepEqual([delivered, cancelled], [answeredFirst + slots, jobs - answeredFirst - slots]);
  });
}

test('after a 410 only what was under way ends', async (t) => {
  const { receiver, answerHeld, allEnded } = await withAllSlotsHeld(t);
  answerHeld(410);
  const { delivered, cancelled, states } = await allEnded();
  assert.equal(receiver.received.length, answeredFirst + slots);
  assert.equal(states.gone?.length, slots);
  assert.deepEqual([delivered, cancelled], [answeredFirst, jobs - answeredFirst - slots]);
});

test('between a 410 and the moment it is stored nothing more is sent', async (t) => {
  const [receiver, quick] = [await openReceiver(t, { answer: answerWith(410) }), await openReceiver(t)];
  const world = await openWorld(t, { allow: [receiver.target, quick.target] });
  const [accountId, other] = [await world.account(), await world.account()];
  const { subscription } = await world.subscribe(accountId, receiver.url);
  await world.subscribe(other, quick.url);
  world.startDispatcher();
  await world.db.transaction(async (tx) => {
    // As a job that is just ending does; the disabling waits for it.
    await tx.query('select 1 from webhook_subscription where id = $1 for share', [subscription.id]);
    await world.endJob(accountId);
    await eventually(() => world.attempts.gone === 1 || undefined, 'the 410');
    await world.endJob(accountId);
    await world.endJob(other);
    await eventually(() => quick.received.length === 1 || undefined, 'the delivery after it');
  });
  await eventually(async () => {
    const states = (await world.deliveries()).map(({ state }) => state);
    return states.includes('cancelled') || undefined;
  }, 'the cancelling');
  assert.equal(receiver.received.length, 1);
});

test('a delivery that a claim brings for a subscription that was just removed is not sent', async (t) => {
  const receiver = await openReceiver(t);
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  const { subscription } = await world.subscribe(accountId, receiver.url);
  await world.endJob(accountId);
  await world.db.transaction(async (tx) => {
    await tx.query('lock table webhook_delivery in exclusive mode');
    world.startDispatcher();
    await eventually(async () => {
      const waiting = await world.db.query(
        `select 1 from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%granted.slots%'`,
      );
      return waiting.length === 1 || undefined;
    }, 'the claim to wait for the lock');
    world.afterRemoval(subscription.id);
  });
  await eventually(async () => {
    // Event and delivery are written by one transaction: other marks mean that the delivery was written again.
    const [row] = await world.db.query<{ state: string; attempts: number }>(
      `select d.state, d.attempts from webhook_delivery d join webhook_event e on e.id = d.event_id
       where d.xmin <> e.xmin`,
    );
    return (row?.state === 'pending' && row.attempts === 0) || undefined;
  }, 'the delivery to be given back');
  assert.equal(receiver.received.length, 0);
});
