/** Seven attempts in total, whatever happens to the processes that make them. */
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import type { DispatcherOrder } from '../support/webhook-dispatcher-process.ts';
import { openReceiver } from '../support/webhook-receiver.ts';
import { openWorld } from '../support/webhook-world.ts';

const program = join(import.meta.dirname, '..', 'support', 'webhook-dispatcher-process.ts');
const restarts = 20;
/** More than the lease of a delivery and the longest step of the schedule together. */
const longMs = 2 * 36_000_000;

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

test('twenty processes killed in the middle of an attempt: a receiver never gets more than seven POSTs', async (t) => {
  const receiver = await openReceiver(t, { answer: () => {} }); // Hangs: every kill strikes an attempt.
  const world = await openWorld(t, { allow: [receiver.target] });
  const accountId = await world.account();
  await world.subscribe(accountId, receiver.url);
  await world.endJob(accountId);
  const order: DispatcherOrder = {
    connectionString: world.db.connectionString,
    secretKey: world.secretKey.toString('base64'),
    allow: receiver.target,
  };
  for (let restart = 1; restart <= restarts; restart += 1) {
    const child = fork(program);
    t.after(() => child.kill('SIGKILL'));
    child.send(order);
    await eventually(async () => {
      // As if the time of the lease and of the schedule had passed, until the attempt is under way.
      const [delivery] = await world.deliveries();
      if (delivery?.state === 'pending') await world.pass(longMs);
      return (
        (restart <= 7 ? receiver.received.length >= restart : delivery?.state === 'exhausted') || undefined
      );
    }, `restart ${restart}`);
    await kill(child);
    await world.pass(longMs);
  }
  assert.equal(receiver.received.length, 7);
  const [delivery] = await world.deliveries();
  assert.equal(delivery?.state, 'exhausted');
  assert.deepEqual(
    delivery?.attempts.map(({ number, error }) => [number, error]),
    [1, 2, 3, 4, 5, 6, 7].map((number) => [number, 'interrupted']),
  );
});
