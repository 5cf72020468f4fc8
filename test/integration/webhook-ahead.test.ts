/** Deliveries that were claimed ahead for a quick receiver, when its subscription ends. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { deleteSubscription } from '../../src/webhook/delete-subscription.ts';
import { defaultPlaceLimits } from '../../src/webhook/delivery-places.ts';
import { eventually } from '../support/eventually.ts';
import { principalOfId } from '../support/principal.ts';
import { acknowledge, answerWith, openReceiver } from '../support/webhook-receiver.ts';
import { openWorld } from '../support/webhook-world.ts';

const jobs = 60;
const answeredFirst = 20;
const places = defaultPlaceLimits.perReceiverMax;

/** A receiver that has answered twenty deliveries at once and now holds every further one open. */
async function withClaimsAhead(t: TestContext) {
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
  t.after(() => world.stop());
  await eventually(() => held.length === places || undefined, 'every place to be held');
  await eventually(async () => {
    const all = await world.deliveries();
    const settled = all.filter(({ state }) => state === 'delivered').length === answeredFirst;
    const claimed = all.filter(({ state }) => state === 'sending').length;
    return (settled && claimed > places) || undefined;
  }, 'deliveries claimed beyond the places');
  const answerHeld = (status: number) => {
    for (const answer of held.splice(0)) answer(status);
  };
  const allEnded = async () => {
    await eventually(async () => {
      answerHeld(204);
      const all = await world.deliveries();
      return all.every(({ state }) => state !== 'pending' && state !== 'sending') || undefined;
    }, 'every delivery to end');
    await world.clock.advance(100_000);
    const states = Object.groupBy(await world.deliveries(), ({ state }) => state);
    return { delivered: states.delivered?.length ?? 0, cancelled: states.cancelled?.length ?? 0, states };
  };
  return { receiver, world, accountId, id: subscription.id, answerHeld, allEnded };
}

test('what was claimed ahead for a subscription is not sent after its delete', async (t) => {
  const { receiver, world, accountId, id, answerHeld, allEnded } = await withClaimsAhead(t);
  await deleteSubscription(world, principalOfId(accountId), id);
  answerHeld(204);
  const { delivered, cancelled } = await allEnded();
  assert.equal(receiver.received.length, answeredFirst + places);
  assert.deepEqual([delivered, cancelled], [answeredFirst + places, jobs - answeredFirst - places]);
});

test('a delete in another process is noticed when the next outcome is stored', async (t) => {
  const { receiver, world, accountId, id, answerHeld, allEnded } = await withClaimsAhead(t);
  await deleteSubscription({ ...world, afterRemoval: () => {} }, principalOfId(accountId), id);
  answerHeld(204);
  const { delivered, cancelled } = await allEnded();
  // Those whose place was freed while that first outcome was on its way.
  assert.ok(receiver.received.length <= answeredFirst + 2 * places, `${receiver.received.length} requests`);
  assert.equal(delivered, receiver.received.length);
  assert.equal(cancelled, jobs - delivered);
});

test('what was claimed ahead is not sent after a 410', async (t) => {
  const { receiver, answerHeld, allEnded } = await withClaimsAhead(t);
  answerHeld(410);
  const { delivered, cancelled, states } = await allEnded();
  assert.equal(receiver.received.length, answeredFirst + places);
  assert.equal(states.gone?.length, places);
  assert.deepEqual([delivered, cancelled], [answeredFirst, jobs - answeredFirst - places]);
});

test('between a 410 and the moment it is stored nothing more is sent', async (t) => {
  const receiver = await openReceiver(t, { answer: answerWith(410) });
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  const { subscription } = await world.subscribe(accountId, receiver.url);
  const dispatcher = world.startDispatcher();
  t.after(() => world.stop());
  const newest = async () => {
    // Event and delivery are written by one transaction: other marks mean that the delivery was written again.
    const rows = await world.db.query<{ state: string; changed: boolean }>(
      `select d.state, d.xmin <> e.xmin as changed
       from webhook_delivery d join webhook_event e on e.id = d.event_id order by d.id desc limit 1`,
    );
    return rows[0];
  };
  await world.db.transaction(async (tx) => {
    // As a job that is just ending does; the disabling waits for it.
    await tx.query('select 1 from webhook_subscription where id = $1 for share', [subscription.id]);
    await world.endJob(accountId);
    await eventually(() => dispatcher.attemptCounts.gone === 1 || undefined, 'the 410');
    await world.endJob(accountId);
    await eventually(async () => {
      const now = await newest();
      return (now?.state === 'pending' && now.changed) || undefined;
    }, 'the second delivery to be claimed and given back');
  });
  await eventually(async () => (await newest())?.state === 'cancelled' || undefined, 'the cancelling');
  assert.equal(receiver.received.length, 1);
});
