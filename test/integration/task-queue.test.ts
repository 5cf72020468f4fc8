import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '../../src/platform/clock.ts';
import { Postponed, removeTasks, type Task, TaskQueue } from '../../src/platform/queue/queue.ts';
import type { QueueDefinition } from '../../src/platform/queue/task-store.ts';
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
  { name: 'lanes', expireSeconds: 60, retrySeconds: 0 },
  { name: 'shared', expireSeconds: 60, retrySeconds: 0 },
  { name: 'postponed', expireSeconds: 60, retrySeconds: 0 },
  { name: 'gated', expireSeconds: 60, retrySeconds: 0 },
  { name: 'lost', expireSeconds: 60, retrySeconds: 0 },
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

/** The numbers of the tasks in the order in which a single slot takes them. */
async function taken(queue: TaskQueue, name: string, count: number): Promise<number[]> {
  const seen: number[] = [];
  queue.work<Numbered>(name, { concurrency: 1 }, async ({ data }) => {
    seen.push(data.number);
  });
  await eventually(() => seen.length === count, `${count} tasks of ${name}`);
  return seen;
}

test('a lower position goes first, and never more tasks at once than wanted', async (t) => {
  const queue = await open(t);
  await db.transaction((tx) =>
    queue.send(
      tx,
      'order',
      [5, 1, 0, 3, 2, 4].map((position) => ({ data: { number: position }, position })),
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
  assert.deepEqual(seen.slice(0, 2).toSorted(), [0, 1]);
  assert.equal(most, 2);
});

test('lanes take turns, however many tasks each has and whoever came first', async (t) => {
  const queue = await open(t);
  const tasks = (lane: number, count: number) =>
    Array.from({ length: count }, (_, i) => ({ data: { number: lane * 1000 + i }, lane }));
  await db.transaction((tx) => queue.send(tx, 'lanes', tasks(70_001, 300)));
  await db.transaction((tx) => queue.send(tx, 'lanes', tasks(2, 2)));
  await db.transaction((tx) => queue.send(tx, 'lanes', tasks(3, 3)));
  const lanes = (await taken(queue, 'lanes', 305)).map((number) => Math.floor(number / 1000));
  assert.deepEqual(
    lanes.slice(0, 9).map((lane) => lane % 1000),
    [1, 3, 2, 1, 3, 2, 1, 3, 1],
  );
});

test('what is sent later into a lane shares its turns with what waits there', async (t) => {
  const queue = await open(t);
  const tasks = (first: number, count: number) =>
    Array.from({ length: count }, (_, position) => ({
      data: { number: first + position },
      lane: 1,
      position,
    }));
  await db.transaction((tx) => queue.send(tx, 'shared', tasks(0, 6)));
  const seen: number[] = [];
  queue.work<Numbered>('shared', { concurrency: 1 }, async ({ data }) => {
    seen.push(data.number);
    if (data.number === 1) await db.transaction((tx) => queue.send(tx, 'shared', tasks(10, 3)));
  });
  await eventually(() => seen.length === 9, 'all tasks');
  assert.deepEqual(seen, [0, 1, 2, 10, 3, 11, 4, 12, 5]);
});

test('a task that is put off waits outside of its slot, keeps its lane and costs no retry', async (t) => {
  const queue = await open(t, 50);
  const seen: number[] = [];
  let tries = 0;
  queue.work<Numbered>('postponed', { concurrency: 1 }, async ({ data }) => {
    if (data.number === 1 && tries < 30) {
      tries += 1;
      throw new Postponed({ delayMs: 20 });
    }
    seen.push(data.number);
  });
  await db.transaction((tx) =>
    queue.send(tx, 'postponed', [
      { data: { number: 1 }, lane: 4 },
      { data: { number: 2 }, lane: 4 },
    ]),
  );
  await eventually(() => seen.length === 2, 'both tasks');
  assert.deepEqual([seen, tries], [[2, 1], 30]);
});

test('a lane that this worker cannot serve is left to another', async (t) => {
  const [first, second] = [await open(t, 50), await open(t, 50)];
  const byWhom: string[] = [];
  first.work<Numbered>('gated', { concurrency: 1 }, async ({ data }) => {
    if (data.number === 1) throw new Postponed({ delayMs: 0, avoidMs: 60_000 });
    byWhom.push(`first ${data.number}`);
  });
  await db.transaction((tx) => first.send(tx, 'gated', [{ data: { number: 1 }, lane: 1 }]));
  await db.transaction((tx) => first.send(tx, 'gated', [{ data: { number: 2 }, lane: 2 }]));
  await eventually(() => byWhom.length === 1, 'the other lane');
  let mayTake = false;
  second.work<Numbered>('gated', { concurrency: 1, mayTake: () => mayTake }, async ({ data }) => {
    byWhom.push(`second ${data.number}`);
  });
  await db.transaction((tx) => first.send(tx, 'gated', [{ data: { number: 3 }, lane: 2 }]));
  await eventually(() => byWhom.length === 2, 'the worker that may take tasks');
  mayTake = true;
  await eventually(() => byWhom.length === 3, 'the other worker');
  assert.deepEqual(byWhom, ['first 2', 'first 3', 'second 1']);
});

test('a task whose retries are used up is among the dead letters, once', async (t) => {
  const queue = await open(t, 50);
  let tries = 0;
  queue.work('lost', { concurrency: 1 }, async () => {
    tries += 1;
    throw new Error('never');
  });
  await db.transaction((tx) => queue.send(tx, 'lost', [{ data: { number: 7 } }]));
  const dead = await eventually(async () => {
    const found = await db.transaction((tx) => queue.takeDead<Numbered>(tx, 'lost', 10));
    return found.length > 0 ? found : undefined;
  }, 'the dead letter');
  assert.deepEqual([dead, tries], [[{ number: 7 }], 21]);
  assert.deepEqual(await db.transaction((tx) => queue.takeDead(tx, 'lost', 10)), []);
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
