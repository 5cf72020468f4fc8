/** Tasks in PostgreSQL, by pg-boss: the only file that speaks to it. */
import { type Db, type JobInsert, PgBoss } from 'pg-boss';
import { type Database, hotQuery, onlyRow, type Queryable } from '../database/database.ts';
import type { Logger } from '../telemetry/telemetry.ts';
import {
  dueQueues,
  headOfLane,
  headsOfLanes,
  laneOf,
  positionOf,
  prioritiesOf,
  priorityOf,
} from './task-lane.ts';

/** One kind of work. A task may start more than once, so every handler is safe to repeat. */
export interface QueueDefinition {
  name: string;
  /** A task that is still running after this is taken from its worker. */
  expireSeconds: number;
  /** The pause before a task whose worker died, or whose handler threw, starts again. */
  retrySeconds: number;
}

export interface NewTask {
  data: object;
  /** Tasks of different lanes take turns, however many each has. */
  lane?: number;
  /**
   * Which of the tasks that are sent together goes first. They are counted from the position at which their lane stands
   * now, so that what is sent later shares the turns of its lane. Without it tasks go in the order of their creation.
   */
  position?: number;
}

export interface TakenTask<Data = object> {
  queue: string;
  id: string;
  /** Names this attempt: a settlement of an earlier one changes nothing. */
  retryCount: number;
  lane: number;
  priority: number;
  data: Data;
}

export interface TaskStoreOptions {
  db: Pick<Database, 'query' | 'transaction'>;
  queues: readonly QueueDefinition[];
  logger: Logger;
}

const noTask = '00000000-0000-0000-0000-000000000000';
const heartbeatSeconds = 10; // the least that pg-boss takes; a dead worker's task is free again 10 to 15 s later
/** One process of all looks after the tasks of dead workers this often. */
const superviseSeconds = 5;
const superviseDuty = 'queue';
const uniqueViolation = '23505';
/** On it the database announces a task: the name of its queue, and in how many milliseconds it is due. */
export const taskChannel = 'task';
/**
 * How often the workers of one task may die, or let it run over its time, until it is put with the dead letters. What a
 * handler throws is dealt with by the handler.
 */
const retriesMax = 20;

/** The tasks of a queue that are still to be done, for statements that look for what has none. */
export function liveTasks(name: string): string {
  return `(select data from queue.job where name = '${name}' and state < 'completed')`;
}

export class TaskStore {
  readonly #boss: PgBoss;
  readonly #db: TaskStoreOptions['db'];
  readonly #retrySeconds: ReadonlyMap<string, number>;

  private constructor(boss: PgBoss, { db, queues }: TaskStoreOptions) {
    this.#boss = boss;
    this.#db = db;
    this.#retrySeconds = new Map(queues.map(({ name, retrySeconds }) => [name, retrySeconds]));
  }

  static async open(options: TaskStoreOptions): Promise<TaskStore> {
    // Of processes that start together on a new database each makes the tables, and the library does not know every way
    // in which the second fails; at the next try they are there.
    const boss = await startedBoss(options).catch((error: unknown) => {
      if ((error as { code?: string }).code !== uniqueViolation) throw error;
      return startedBoss(options);
    });
    for (const queue of options.queues) {
      await createQueue(boss, queue);
      // pg-boss reads what it must know of a queue when it is first used, on a connection of its own. In a transaction
      // that would wait for a second connection while many such transactions hold them all; so it is used here.
      await boss.getJobById(queue.name, noTask);
    }
    return new TaskStore(boss, options);
  }

  async insert(tx: Queryable, name: string, tasks: readonly NewTask[]): Promise<void> {
    const starts = new Map<number, number>();
    const rows: JobInsert[] = [];
    for (const { data, lane = 0, position } of tasks) {
      if (position !== undefined && !starts.has(lane)) starts.set(lane, await positionNow(tx, name, lane));
      rows.push({ data, priority: priorityOf(lane, (starts.get(lane) ?? 0) + (position ?? 0)) });
    }
    if (rows.length === 0) return;
    await this.#boss.insert(name, rows, { db: insertOf(tx) });
    await announce(tx, name, 0);
  }

  /** Of these queues, the ones in which a task is due; and whether it is time to look after dead workers' tasks. */
  async look(names: readonly string[]): Promise<{ due: string[]; isSuperviseDue: boolean }> {
    const rows = await this.#db.query<{ due: string[] | null; supervise: boolean }>(dueQueues, [
      names,
      superviseDuty,
      superviseSeconds,
    ]);
    const { due, supervise } = onlyRow(rows);
    return { due: due ?? [], isSuperviseDue: supervise };
  }

  /** Frees the tasks of workers that died and forgets old ones, unless another process just did. */
  async supervise(): Promise<boolean> {
    const claimed = await this.#db.query(
      `insert into duty (name) values ($1)
       on conflict (name) do update set done_at = now() where duty.done_at <= now() - make_interval(secs => $2)
       returning name`,
      [superviseDuty, superviseSeconds],
    );
    if (claimed.length === 0) return false;
    await this.#boss.supervise();
    return true;
  }

  /** In which a task is due. */
  async lanes(name: string): Promise<number[]> {
    const heads = await this.#db.query<{ priority: number }>(headsOfLanes, [name]);
    return heads.map(({ priority }) => laneOf(priority));
  }

  async take<Data extends object>(name: string, lane: number, count: number): Promise<TakenTask<Data>[]> {
    const options = { batchSize: count, includeMetadata: true as const, ...prioritiesOf(lane) };
    const found = await this.#boss.fetch<Data>(name, options);
    return found.map(({ id, retryCount, priority, data }) => ({
      queue: name,
      id,
      retryCount,
      lane,
      priority,
      data,
    }));
  }

  async complete(task: TakenTask): Promise<void> {
    await this.#boss.complete(task.queue, attemptOf(task));
  }

  /** Back into its lane, behind those of its position; costs none of its retries. */
  async postpone(task: TakenTask, delaySeconds: number): Promise<void> {
    const { queue, data, priority } = task;
    await this.#db.transaction(async (tx) => {
      const options = { db: statementsOf(tx) };
      const settled = (await this.#boss.complete(queue, attemptOf(task), null, options)) as Settled;
      if (settled.affected === 0) return; // Taken away meanwhile: whoever has it now decides.
      await this.#boss.insert(queue, [{ data, priority, startAfter: delaySeconds }], options);
      await announce(tx, queue, delaySeconds);
    });
  }

  /** Another retry, or one of the dead letters when there is none left. */
  async fail(task: TakenTask): Promise<void> {
    await this.#boss.fail(task.queue, attemptOf(task));
    await announce(this.#db, task.queue, this.#retrySeconds.get(task.queue) ?? 0);
  }

  /** Tells that these attempts, all of one queue, are alive; gives the ids of those that still are ours. */
  async touch(queue: string, tasks: readonly TakenTask[]): Promise<ReadonlySet<string>> {
    const { settled = [] } = (await this.#boss.touch(queue, tasks.map(attemptOf))) as Settled;
    return new Set(settled);
  }

  /** Removes dead letters of a queue, in the caller's transaction, and gives what they were about. */
  async takeDead<Data extends object>(tx: Queryable, name: string, countMax: number): Promise<Data[]> {
    const options = { db: statementsOf(tx) };
    const dead = deadLetterQueue(name);
    const found = await this.#boss.fetch<Data>(dead, { batchSize: countMax, ...options });
    const ids = found.map(({ id }) => id);
    if (ids.length > 0) await this.#boss.deleteJob(dead, ids, options);
    return found.map(({ data }) => data);
  }

  async close(): Promise<void> {
    await this.#boss.stop({ graceful: false });
  }
}

async function startedBoss({ db, logger }: TaskStoreOptions): Promise<PgBoss> {
  const boss = new PgBoss({
    db: statementsOf(db),
    schema: 'queue',
    schedule: false,
    supervise: false,
    monitorIntervalSeconds: 1,
  });
  boss.on('error', (error) => logger.warn({ err: error }, 'the queue had a fault'));
  return await boss.start();
}

interface Settled {
  affected?: number;
  settled?: string[];
}

function attemptOf({ id, retryCount }: TakenTask) {
  return { id, retryCount };
}

/** Heard when the transaction is committed. */
async function announce(tx: Queryable, name: string, delaySeconds: number): Promise<void> {
  await hotQuery(tx, 'task_announce', 'select pg_notify($1, $2)', [
    taskChannel,
    `${name} ${Math.ceil(delaySeconds * 1000)}`,
  ]);
}

/** The position at which a lane stands: that of its next task, or the first. */
async function positionNow(tx: Queryable, name: string, lane: number): Promise<number> {
  const { minPriority, maxPriority } = prioritiesOf(lane);
  const [head] = await tx.query<{ priority: number }>(headOfLane, [name, minPriority, maxPriority]);
  return head ? positionOf(head.priority) : 0;
}

function deadLetterQueue(name: string): string {
  return `${name}-dead`;
}

async function createQueue(
  boss: PgBoss,
  { name, expireSeconds, retrySeconds }: QueueDefinition,
): Promise<void> {
  const deadLetter = deadLetterQueue(name);
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

/** The one statement of each queue that inserts tasks takes longer to plan than to run. */
function insertOf(tx: Queryable): Db {
  return {
    executeSql: async (text, values = []) => ({ rows: await hotQuery(tx, 'task_insert', text, values) }),
  };
}

function statementsOf(db: Queryable): Db {
  return { executeSql: async (text, values = []) => ({ rows: await db.query(text, values) }) };
}
