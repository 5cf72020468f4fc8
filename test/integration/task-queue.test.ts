import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { type QueueDefinition, removeTasks, type Task, TaskQueue } from '../../src/platform/queue.ts';
import { type Hooks, onCleanup } from '../support/cleanup.ts';
import { openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { silentLogger } from '../support/silent-logger.ts';

const db = await openTestDatabase({ after });
const queues: QueueDefinition[] = [
  { name: 'plain', expireSeconds: 60, retrySeconds: 0 },
  { name: 'again', expireSeconds: 60, retrySeconds: 0 },
  { name: 'slow', expireSeconds: 60, retrySeconds: 0 },
  { name: 'order', expireSeconds: 60, retrySeconds: 0 },
  { name: 'woken', expireSeconds: 60, retrySeconds: 0 },
  { name: 'removed', expireSeconds: 60, retrySeconds: 0 },
];
/** Open until the test ends, however it ends. */
async function open(hooks: Hooks, pollMs = 400): Promise<TaskQueue> {
  const options = {
    db,
    queues,
    clock: systemClock,
    logger: silentLogger,
    pollMs,
  };
  const queue = await TaskQueue.open(options);
  onCleanup(hooks, () => queue.stop(1_000));
  return queue;
}
type Numbered = { number: number };

test('a task exists exactly when the transaction that sent it is committed', async (t) => {
  const queue = await open(t);
  const seen: number[] = [];
  await assert.rejects(
    db.transaction(async (tx) => {
      await queue.send(tx, 'plain', [{ data: { number: 1 } }]);
      throw new Error('no');
    }),
  );
  await db.transaction((tx) => queue.send(tx, 'plain', [{ data: { number: 2 } }, { data: { number: 3 } }]));
  queue.work<Numbered>('plain', { concurrency: 1 }, async ({ data }) => {
    seen.push(data.number);
  });
  await eventually(() => seen.length === 2, 'both tasks');
  assert.deepEqual(seen, [2, 3]);
});

test('a task whose handler throws is tried again', async (t) => {
  const queue = await open(t);
  let tries = 0;
  queue.work('again', { concurrency: 1 }, async () => {
    tries += 1;
    if (tries < 3) throw new Error('not yet');
  });
  await db.transaction((tx) => queue.send(tx, 'again', [{ data: {} }]));
  await eventually(() => tries === 3, 'the third try');
});

test('a task that is running when the worker stops is given back, and the next worker does it', async (t) => {
  const first = await open(t);
  const started = Promise.withResolvers<void>();
  first.work('slow', { concurrency: 1 }, async ({ signal }: Task<object>) => {
    started.resolve();
    await systemClock.sleep(60_000, signal);
  });
  await db.transaction((tx) => first.send(tx, 'slow', [{ data: {} }]));
  await started.promise;
  await first.stop(5_000);

  const second = await open(t);
  let done = 0;
  second.work('slow', { concurrency: 1 }, async () => {
    done += 1;
  });
  await eventually(() => done === 1, 'the next worker');
});

test('removed tasks never start, and whoever runs one is stopped', async (t) => {
  const queue = await open(t);
  const seen: string[] = [];
  const stopped = Promise.withResolvers<unknown>();
  queue.work('removed', { concurrency: 1 }, async ({ data, signal }: Task<{ job: string }>) => {
    seen.push(data.job);
    if (data.job === 'kept') return;
    await systemClock.sleep(60_000, signal).catch(stopped.resolve);
    throw signal.reason;
  });
  const jobs = ['gone', 'gone', 'kept'].map((job) => ({ data: { job } }));
  await db.transaction((tx) => queue.send(tx, 'removed', jobs));
  await eventually(() => seen.length === 1, 'the first task');
  await db.transaction((tx) => removeTasks(tx, 'job', ['gone']));
  await stopped.promise;
  await eventually(() => seen.length === 2, 'the task that was kept');
  assert.deepEqual(seen, ['gone', 'kept']);
});

test('higher priority goes first, and never more tasks at once than wanted', async (t) => {
  const queue = await open(t);
  await db.transaction((tx) =>
    queue.send(
      tx,
      'order',
      [-5, -1, 0, -3, -2, -4].map((priority) => ({ data: { number: priority }, priority })),
    ),
  );
  const seen: number[] = [];
  let atOnce = 0;
  let most = 0;
  queue.work<Numbered>('order', { concurrency: 2 }, async ({ data }) => {
    atOnce += 1;
    most = Math.max(most, atOnce);
    seen.push(data.number);
    await systemClock.sleep(20);
    atOnce -= 1;
  });
  await eventually(() => seen.length === 6, 'all tasks');
  assert.deepEqual(seen.slice(0, 2).toSorted(), [-1, 0]);
  assert.equal(most, 2);
});

test('a queue that is woken while it is just looking looks once more', async (t) => {
  const queue = await open(t, 300_000);
  let ran = Promise.withResolvers<void>();
  queue.work('woken', { concurrency: 2 }, async () => ran.resolve());
  for (let round = 1; round <= 40; round += 1) {
    const { promise } = ran;
    await db.transaction((tx) => queue.send(tx, 'woken', [{ data: {} }]));
    queue.wake('woken');
    await within(promise, 20_000, `task ${round}`);
    // The next is sent at once, which is when the queue looks for it.
    ran = Promise.withResolvers<void>();
  }
});

async function within(work: Promise<void>, ms: number, what: string): Promise<void> {
  const done = new AbortController();
  const late = systemClock.sleep(ms, done.signal).then(() => assert.fail(`waited ${ms} ms for ${what}`));
  late.catch(() => {});
  await Promise.race([work, late]).finally(() => done.abort());
}
