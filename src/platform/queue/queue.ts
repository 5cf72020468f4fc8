import type { Clock } from '../clock.ts';
import type { Queryable } from '../database/database.ts';
import type { Announcements } from '../database/notifications.ts';
import { TaskLoop, type TaskLoopOptions } from './task-loop.ts';
import { type NewTask, type TakenTask, TaskStore, type TaskStoreOptions, taskChannel } from './task-store.ts';
import { TaskWatch } from './task-watch.ts';

export interface Task<Data> {
  data: Data;
  /** Aborts when the worker stops, or when the task was taken from it. */
  signal: AbortSignal;
}

export interface TaskQueueOptions extends TaskStoreOptions {
  clock: Clock;
  /** Tells of tasks that others sent. */
  announcements?: Announcements | undefined;
  /** How often it looks for them where nothing is announced; for tasks sent from here it is woken. */
  pollMs?: number;
}

/** Thrown by a handler: the task waits in the queue, outside of any slot, and is no worse for it. */
export class Postponed extends Error {
  override readonly name = 'Postponed';
  readonly delayMs: number;
  /** This worker leaves tasks of the same lane to others for so long. */
  readonly avoidMs: number;

  constructor({ delayMs, avoidMs = 0 }: { delayMs: number; avoidMs?: number }, cause?: unknown) {
    super(`the task is put off for ${delayMs} ms`, { cause });
    this.delayMs = delayMs;
    this.avoidMs = avoidMs;
  }
}

const defaultPollMs = 1_000;
const heartbeatEveryMs = 3_000;

interface Claim {
  task: TakenTask;
  abort: AbortController;
}

/**
 * Durable tasks on PostgreSQL. A task is inserted in the caller's transaction, so it exists exactly when the
 * caller's rows do. Workers take tasks in loops of our own, lane by lane in turns.
 */
export class TaskQueue {
  readonly #store: TaskStore;
  readonly #options: TaskQueueOptions;
  readonly #claims = new Set<Claim>();
  readonly #loops = new Map<string, { wake(): void; readonly hasFreeSlot: boolean }>();
  readonly #loopsEnded: Promise<void>[] = [];
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  readonly #stopHeartbeat: () => void;
  readonly #watch: TaskWatch;
  #heartbeating = false;

  private constructor(store: TaskStore, options: TaskQueueOptions) {
    this.#store = store;
    this.#options = options;
    this.#stopHeartbeat = options.clock.every(heartbeatEveryMs, () => void this.#heartbeat());
    const { clock, logger, announcements, pollMs = defaultPollMs } = options;
    this.#watch = new TaskWatch({
      store,
      clock,
      logger,
      pollMs,
      announcements,
      waiting: () => [...this.#loops].filter(([, { hasFreeSlot }]) => hasFreeSlot).map(([name]) => name),
      wake: (name) => this.wake(name),
    });
    announcements?.hear(taskChannel, (payload) => this.#watch.announced(payload));
  }

  static async open(options: TaskQueueOptions): Promise<TaskQueue> {
    return new TaskQueue(await TaskStore.open(options), options);
  }

  async send(tx: Queryable, name: string, tasks: readonly NewTask[]): Promise<void> {
    await this.#store.insert(tx, name, tasks);
  }

  /** Looks for work now instead of at the next poll; called after a transaction that sent tasks. */
  wake(name: string): void {
    this.#loops.get(name)?.wake();
  }

  /** Removes tasks that were given up, in the caller's transaction, and gives what they were about. */
  async takeDead<Data extends object>(tx: Queryable, name: string, countMax: number): Promise<Data[]> {
    return await this.#store.takeDead<Data>(tx, name, countMax);
  }

  /** Takes tasks until the queue stops. A handler that throws gives its task back for another try. */
  work<Data extends object>(
    name: string,
    options: TaskLoopOptions,
    handler: (task: Task<Data>) => Promise<void>,
  ): void {
    const { clock, logger } = this.#options;
    const run = (task: TakenTask<Data>) => {
      const done = this.#run(task, handler).finally(() => this.#running.delete(done));
      this.#running.add(done);
      return done;
    };
    const loop = new TaskLoop<Data>({ name, options, store: this.#store, clock, logger, run });
    this.#loops.set(name, loop);
    this.#loopsEnded.push(loop.run(this.#stopping.signal));
  }

  /** No new tasks; running ones get `graceMs` to end, then their claims are given back. */
  async stop(graceMs: number): Promise<void> {
    const reason = new Error('the worker stops');
    this.#stopping.abort(reason);
    for (const loop of this.#loops.values()) loop.wake();
    // A loop that is just fetching may still bring tasks; they count as running.
    await Promise.all(this.#loopsEnded);
    for (const claim of this.#claims) claim.abort.abort(reason);
    const waited = new AbortController();
    const graceOver = this.#options.clock.sleep(graceMs, waited.signal).catch(() => {});
    await Promise.race([Promise.allSettled([...this.#running]), graceOver]);
    waited.abort();
    // Whoever does not end in time loses its task to the next worker; what it does from now on changes nothing.
    await Promise.all([...this.#claims].map((claim) => this.#settle(claim, this.#giveBack(claim.task))));
    this.#stopHeartbeat();
    await this.#watch.stop();
    await this.#store.close();
  }

  async #run<Data extends object>(
    task: TakenTask<Data>,
    handler: (task: Task<Data>) => Promise<void>,
  ): Promise<{ avoidMs: number }> {
    const claim: Claim = { task, abort: new AbortController() };
    this.#claims.add(claim);
    if (this.#stopping.signal.aborted) claim.abort.abort(this.#stopping.signal.reason);
    const { signal } = claim.abort;
    try {
      await handler({ data: task.data, signal });
      await this.#settle(claim, () => this.#store.complete(task));
      return { avoidMs: 0 };
    } catch (error) {
      const postponed = error instanceof Postponed ? error : undefined;
      if (!postponed && !signal.aborted) {
        const { queue, id } = task;
        this.#options.logger.warn({ err: error, queue, task: id }, 'a task failed and will be tried again');
      }
      await this.#settle(
        claim,
        postponed || signal.aborted ? this.#giveBack(task, postponed) : this.#retry(task),
      );
      return { avoidMs: postponed?.avoidMs ?? 0 };
    }
  }

  #giveBack(task: TakenTask, { delayMs }: { delayMs: number } = { delayMs: 0 }): () => Promise<void> {
    return () => this.#store.postpone(task, delayMs / 1000);
  }

  #retry(task: TakenTask): () => Promise<void> {
    return () => this.#store.fail(task);
  }

  /** Once. What cannot be written returns by itself, when nothing was heard of it for long enough. */
  async #settle(claim: Claim, write: () => Promise<void>): Promise<void> {
    if (!this.#claims.delete(claim)) return;
    try {
      await write();
    } catch (error) {
      const { queue } = claim.task;
      this.#options.logger.warn({ err: error, queue }, 'a task could not be settled; it returns by itself');
    }
  }

  /** Tells the database that the claims live; one that is gone aborts its handler. */
  async #heartbeat(): Promise<void> {
    if (this.#heartbeating) return;
    this.#heartbeating = true;
    try {
      const byQueue = Map.groupBy(this.#claims, ({ task }) => task.queue);
      await Promise.all([...byQueue].map(([queue, claims]) => this.#touch(queue, claims)));
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'a heartbeat could not be written');
    } finally {
      this.#heartbeating = false;
    }
  }

  async #touch(queue: string, claims: readonly Claim[]): Promise<void> {
    const alive = await this.#store.touch(
      queue,
      claims.map(({ task }) => task),
    );
    for (const claim of claims) {
      const isLost = this.#claims.has(claim) && !alive.has(claim.task.id);
      if (isLost) claim.abort.abort(new Error('the task was taken away'));
    }
  }
}

/**
 * Removes every task whose data has one of these values in a field, waiting, running or ended, in the caller's
 * transaction. Whoever runs one of them is aborted at its next heartbeat. Needs no open queue.
 */
export async function removeTasks(tx: Queryable, field: string, values: readonly string[]): Promise<void> {
  const [made] = await tx.query<{ exists: boolean }>(`select to_regclass('queue.job') is not null as exists`);
  if (made?.exists) await tx.query('delete from queue.job where data ->> $1 = any($2)', [field, values]);
}
