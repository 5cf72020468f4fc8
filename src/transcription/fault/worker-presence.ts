import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { hotQuery, type Queryable } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';

const heardEveryMs = 10_000;
/** A worker that was not heard from for this long is taken for dead. */
const silentSecondsMax = 30;
/** Longer than that: it is logged once and its row removed. */
const lostSeconds = 60;

/** What a worker is and can do, for the operator. */
export interface WorkerDescription {
  version: string;
  host: string;
  engine: string;
  models: readonly string[];
  /** Chunks at once. */
  capacity: number;
}

export interface WorkerPresenceDeps {
  db: Queryable;
  logger: Logger;
  about: WorkerDescription;
  /** Rejects while this worker could not do a job; it is silent then, as if it were not there. */
  expectFit(): Promise<void>;
}

/** A worker's sign of life, kept in the database so that every API process can see it. */
export class WorkerPresence {
  readonly #id = randomUUID();
  readonly #deps: WorkerPresenceDeps;
  #stopTelling: () => void = () => {};
  #isTelling = false;

  constructor(deps: WorkerPresenceDeps) {
    this.#deps = deps;
  }

  async start(clock: Clock): Promise<void> {
    await this.#tellIfFit();
    this.#stopTelling = clock.every(heardEveryMs, () => {
      this.#tellIfFit().catch((error) =>
        this.#deps.logger.warn({ err: error }, 'the sign of life could not be written'),
      );
    });
  }

  async stop(): Promise<void> {
    this.#stopTelling();
    await this.#deps.db.query('delete from worker where id = $1', [this.#id]);
  }

  async #tellIfFit(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      if (await isFit(this.#deps)) await this.#tell();
    } finally {
      this.#isTelling = false;
    }
  }

  async #tell(): Promise<void> {
    const { version, host, engine, models, capacity } = this.#deps.about;
    await this.#deps.db.query(
      `insert into worker (id, version, host, engine, models, capacity) values ($1, $2, $3, $4, $5, $6)
       on conflict (id) do update set heard_at = now()`,
      [this.#id, version, host, engine, models, capacity],
    );
  }
}

async function isFit({ expectFit }: WorkerPresenceDeps): Promise<boolean> {
  return expectFit().then(
    () => true,
    () => false, // Who knows why has said so.
  );
}

export interface LostWorker {
  id: string;
  host: string | null;
  version: string | null;
  silentSeconds: number;
}

/** Forgets workers that died without saying so; each is given once. One that lives after all tells so again. */
export async function takeLostWorkers(db: Queryable): Promise<LostWorker[]> {
  return await db.query<LostWorker & Record<string, unknown>>(
    `delete from worker where heard_at < now() - make_interval(secs => $1)
     returning id, host, version, round(extract(epoch from now() - heard_at))::int as "silentSeconds"`,
    [lostSeconds],
  );
}

/** Whether any worker able to recognise speech was heard from lately. */
export async function isProcessingAvailable(db: Queryable): Promise<boolean> {
  const rows = await hotQuery(
    db,
    'worker_heard',
    `select 1 from worker where heard_at > now() - make_interval(secs => $1) limit 1`,
    [silentSecondsMax],
  );
  return rows.length > 0;
}

/** What the workers that were heard from lately have installed. */
export async function installedModels(db: Queryable): Promise<Set<string>> {
  const rows = await db.query<{ model: string }>(
    `select distinct unnest(models) as model from worker where heard_at > now() - make_interval(secs => $1)`,
    [silentSecondsMax],
  );
  return new Set(rows.map(({ model }) => model));
}

/** Whether nobody else could do what this worker cannot. */
export async function isOnlyWorker(db: Queryable): Promise<boolean> {
  const rows = await db.query(
    `select 1 from worker where heard_at > now() - make_interval(secs => $1) limit 2`,
    [silentSecondsMax],
  );
  return rows.length < 2;
}
