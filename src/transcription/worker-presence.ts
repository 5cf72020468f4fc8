import { randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database.ts';
import type { Logger } from '../platform/telemetry.ts';

const heardEveryMs = 5_000;
/** A worker that was not heard from for this long is taken for dead. */
const silentSecondsMax = 30;
const forgottenSeconds = 3_600;

/** A worker's sign of life, kept in the database so that every API process can see it. */
export class WorkerPresence {
  readonly #id = randomUUID();
  readonly #db: Queryable;
  readonly #logger: Logger;
  #stopTelling: () => void = () => {};

  constructor(db: Queryable, logger: Logger) {
    this.#db = db;
    this.#logger = logger;
  }

  async start(clock: Clock): Promise<void> {
    await this.#tell();
    this.#stopTelling = clock.every(heardEveryMs, () => {
      this.#tell().catch((error) =>
        this.#logger.warn({ err: error }, 'the sign of life could not be written'),
      );
    });
  }

  async stop(): Promise<void> {
    this.#stopTelling();
    await this.#db.query('delete from worker where id = $1', [this.#id]);
  }

  async #tell(): Promise<void> {
    await this.#db.query(
      `insert into worker (id) values ($1) on conflict (id) do update set heard_at = now()`,
      [this.#id],
    );
  }
}

/** Workers that died without saying so. */
export async function forgetSilentWorkers(db: Queryable): Promise<void> {
  await db.query(`delete from worker where heard_at < now() - make_interval(secs => $1)`, [forgottenSeconds]);
}

/** Whether any worker able to recognise speech was heard from lately. */
export async function isProcessingAvailable(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select 1 from worker where heard_at > now() - make_interval(secs => $1) limit 1`,
    [silentSecondsMax],
  );
  return rows.length > 0;
}

/** Whether nobody else could do what this worker cannot. */
export async function isOnlyWorker(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select 1 from worker where heard_at > now() - make_interval(secs => $1) limit 2`,
    [silentSecondsMax],
  );
  return rows.length < 2;
}
