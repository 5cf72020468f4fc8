import { type Db, type JobInsert, PgBoss } from 'pg-boss';
import type { Clock } from './clock.ts';
import type { Queryable } from './database.ts';
import type { Logger } from './telemetry.ts';

/** One kind of work. A task may start more than once, so every handler is safe to repeat. */
export interface QueueDefinition {
  name: string;
  /** A task that is still running after this is taken from its worker. */
  expireSeconds: number;
  /** The pause before a task that was given back, or whose worker died, starts again. */
  retrySeconds: number;
}

export interface Task<Data> {
  data: Data;
  /** Aborts when the worker stops, or when the task was taken from it. */
  signal: AbortSignal;
}

export interface NewTask {
  data: object;
  /** Higher goes first; tasks of one priority go in the order of their creation. */
  priority?: number;
}

export interface TaskQueueOptions {
  db: Queryable;
  queues: readonly QueueDefinition[];
  clock: Clock;
  logger: Logger;
  /** How often it looks for tasks that others sent, or that are due again; for those sent from here it is woken. */
  pollMs?: number;
}

const defaultPollMs = 400;
/** After a fault. */
const pauseMs = 400;
const heartbeatSeconds = 10; // the least that pg-boss takes; a dead worker's task is free again 10 to 15 s later
const heartbeatEveryMs = 3_000;
const superviseSeconds = 5;
/** Crashes count as retries. A task that a handler fails is ended by the handler itself long before this. */
const retriesMax = 100;

interface Claim {
  name: string;
  id: string;
  retryCount: number;
  abort: AbortController;
}

/**
 * Durable tasks on PostgreSQL. A task is inserted in the caller's transaction, so it exists exactly when the
 * caller's rows do. Workers take tasks in a loop of our own: one fetch fills all free slots.
 */
export class TaskQueue {
  readonly #boss: PgBoss;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #pollMs: number;
  readonly #claims = new Set<Claim>();
  readonly #loops: Promise<void>[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #wakeUps = new Map<string, () => void>();
  /** Queues that were woken while their loop was just looking, perhaps a moment too early. */
  readonly #woken = new Set<string>();
  readonly #stopHeartbeat: () => void;
  #heartbeating = false;

  private constructor(boss: PgBoss, options: TaskQueueOptions) {
    this.#boss = boss;
    this.#clock = options.clock;
    this.#logger = options.logger;
    this.#pollMs = options.pollMs ?? defaultPollMs;
    this.#stopHeartbeat = this.#clock.every(heartbeatEveryMs, () => void this.#heartbeat());
  }

  static async open(options: TaskQueueOptions): Promise<TaskQueue> {
    const boss = new PgBoss({
      db: statementsOf(options.db),
      schema: 'queue',
      schedule: false,
      superviseIntervalSeconds: superviseSeconds,
      monitorIntervalSeconds: superviseSeconds,
    });
    boss.on('error', (error) => options.logger.warn({ err: error }, 'the queue had a fault'));
    await boss.start();
    for (const queue of options.queues) await createQueue(boss, queue);
    return new TaskQueue(boss, options);
  }

  async send(tx: Queryable, name: string, tasks: readonly NewTask[]): Promise<void> {
    const rows: JobInsert[] = tasks.map(({ data, priority = 0 }) => ({ data, priority }));
    if (rows.length > 0) await this.#boss.insert(name, rows, { db: statementsOf(tx) });
  }

  /** Looks for work now instead of at the next poll; called after a transaction that sent tasks. */
  wake(name: string): void {
    const wakeUp = this.#wakeUps.get(name);
    if (wakeUp) wakeUp();
    else this.#woken.add(name);
  }

  /** Takes tasks until the queue stops. A handler that throws gives its task back for another try. */
  work<Data extends object>(
    name: string,
    options: { concurrency: number },
    handler: (task: Task<Data>) => Promise<void>,
  ): void {
    this.#loops.push(this.#loop(name, options, handler));
  }

  /** No new tasks; running ones get `graceMs` to end, then their claims are given back. */
  async stop(graceMs: number): Promise<void> {
    const reason = new Error('the worker stops');
    this.#stopping.abort(reason);
    for (const wake of this.#wakeUps.values()) wake();
    // A loop that is just fetching may still bring tasks; they count as running.
    await Promise.all(this.#loops);
    for (const claim of this.#claims) claim.abort.abort(reason);
    const waited = new AbortController();
    const graceOver = this.#clock.sleep(graceMs, waited.signal).catch(() => {});
    await Promise.race([Promise.allSettled([...this.#running]), graceOver]);
    waited.abort();
    // Whoever does not end in time loses its task to the next worker; what it does from now on changes nothing.
    await Promise.all([...this.#claims].map((claim) => this.#giveBack(claim)));
    this.#stopHeartbeat();
    await this.#boss.stop({ graceful: false });
  }

  async #loop<Data extends object>(
    name: string,
    { concurrency }: { concurrency: number },
    handler: (task: Task<Data>) => Promise<void>,
  ): Promise<void> {
    let busy = 0;
    while (!this.#stopping.signal.aborted) {
      const found = busy < concurrency ? await this.#fetch<Data>(name, concurrency - busy) : [];
      for (const task of found) {
        busy += 1;
        const done = this.#run(name, task, handler).finally(() => {
          busy -= 1;
          this.#running.delete(done);
          this.wake(name);
        });
        this.#running.add(done);
      }
      if (found.length === 0 || busy >= concurrency) await this.#wait(name);
    }
  }

  async #fetch<Data extends object>(name: string, batchSize: number) {
    try {
      return await this.#boss.fetch<Data>(name, { batchSize });
    } catch (error) {
      this.#logger.warn({ err: error, queue: name }, 'the queue could not be read; trying again');
      await this.#clock.sleep(pauseMs, this.#stopping.signal).catch(() => {});
      return [];
    }
  }

  async #wait(name: string): Promise<void> {
    if (this.#woken.delete(name) || this.#stopping.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUps.set(name, resolve);
    const timer = new AbortController();
    await Promise.race([promise, this.#clock.sleep(this.#pollMs, timer.signal).catch(() => {})]);
    timer.abort();
    this.#wakeUps.delete(name);
  }

  async #run<Data extends object>(
    name: string,
    task: { id: string; retryCount: number; data: Data },
    handler: (task: Task<Data>) => Promise<void>,
  ): Promise<void> {
    const claim: Claim = { name, id: task.id, retryCount: task.retryCount, abort: new AbortController() };
    this.#claims.add(claim);
    if (this.#stopping.signal.aborted) claim.abort.abort(this.#stopping.signal.reason);
    try {
      await handler({ data: task.data, signal: claim.abort.signal });
      await this.#boss.complete(name, { id: task.id, retryCount: task.retryCount });
    } catch (error) {
      if (!claim.abort.signal.aborted) {
        this.#logger.warn(
          { err: error, queue: name, task: task.id },
          'a task failed and will be tried again',
        );
      }
      await this.#giveBack(claim);
    } finally {
      this.#claims.delete(claim);
    }
  }

  async #giveBack(claim: Claim): Promise<void> {
    if (!this.#claims.delete(claim)) return;
    try {
      await this.#boss.fail(claim.name, { id: claim.id, retryCount: claim.retryCount });
    } catch (error) {
      this.#logger.warn(
        { err: error, queue: claim.name },
        'a task could not be given back; it returns by itself',
      );
    }
  }

  /** Tells the database that the claims live; one that is gone aborts its handler. */
  async #heartbeat(): Promise<void> {
    if (this.#heartbeating) return;
    this.#heartbeating = true;
    try {
      await Promise.all([...this.#claims].map((claim) => this.#touch(claim)));
    } catch (error) {
      this.#logger.warn({ err: error }, 'a heartbeat could not be written');
    } finally {
      this.#heartbeating = false;
    }
  }

  async #touch(claim: Claim): Promise<void> {
    const attempt = { id: claim.id, retryCount: claim.retryCount };
    const answer = (await this.#boss.touch(claim.name, attempt)) as { affected?: number };
    if (answer.affected === 0 && this.#claims.has(claim))
      claim.abort.abort(new Error('the task was taken away'));
  }
}

async function createQueue(
  boss: PgBoss,
  { name, expireSeconds, retrySeconds }: QueueDefinition,
): Promise<void> {
  const deadLetter = `${name}-dead`;
  await boss.createQueue(deadLetter);
  const options = {
    expireInSeconds: expireSeconds,
    heartbeatSeconds,
    retryLimit: retriesMax,
    retryDelay: retrySeconds,
    deleteAfterSeconds: 3_600,
    deadLetter,
  };
  await boss.createQueue(name, options);
  await boss.updateQueue(name, options);
}

function statementsOf(tx: Queryable): Db {
  return { executeSql: async (text, values = []) => ({ rows: await tx.query(text, values) }) };
}

/**
 * Removes every task whose data has one of these values in a field, waiting, running or ended, in the caller's
 * transaction. Whoever runs one of them is aborted at its next heartbeat. Needs no open queue.
 */
export async function removeTasks(tx: Queryable, field: string, values: readonly string[]): Promise<void> {
  const [made] = await tx.query<{ exists: boolean }>(`select to_regclass('queue.job') is not null as exists`);
  if (made?.exists) await tx.query('delete from queue.job where data ->> $1 = any($2)', [field, values]);
}
