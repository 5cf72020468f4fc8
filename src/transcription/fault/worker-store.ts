import { hotQuery, type Queryable } from '../../platform/database/database.ts';

/** What a worker is and can do, for the operator. */
export interface WorkerDescription {
  version: string;
  host: string;
  engine: string;
  models: readonly string[];
  /** Chunks at once. */
  capacity: number;
}

export interface LostWorker {
  id: string;
  host: string | null;
  version: string | null;
  silentSeconds: number;
}

export const workerStore = {
  /** It was heard from just now. */
  async tell(db: Queryable, id: string, about: WorkerDescription): Promise<void> {
    const { version, host, engine, models, capacity } = about;
    await db.query(
      `insert into worker (id, version, host, engine, models, capacity) values ($1, $2, $3, $4, $5, $6)
       on conflict (id) do update set heard_at = now()`,
      [id, version, host, engine, models, capacity],
    );
  },

  async delete(db: Queryable, id: string): Promise<void> {
    await db.query('delete from worker where id = $1', [id]);
  },

  /** Deletes those that were silent for longer; each is given once. */
  async takeSilent(db: Queryable, forSeconds: number): Promise<LostWorker[]> {
    return await db.query<LostWorker & Record<string, unknown>>(
      `delete from worker where heard_at < now() - make_interval(secs => $1)
       returning id, host, version, round(extract(epoch from now() - heard_at))::int as "silentSeconds"`,
      [forSeconds],
    );
  },

  async isAnyHeard(db: Queryable, withinSeconds: number): Promise<boolean> {
    const rows = await hotQuery(
      db,
      'worker_heard',
      `select 1 from worker where heard_at > now() - make_interval(secs => $1) limit 1`,
      [withinSeconds],
    );
    return rows.length > 0;
  },

  async areSeveralHeard(db: Queryable, withinSeconds: number): Promise<boolean> {
    const rows = await db.query(
      `select 1 from worker where heard_at > now() - make_interval(secs => $1) limit 2`,
      [withinSeconds],
    );
    return rows.length > 1;
  },

  /** What those that were heard from have installed. */
  async models(db: Queryable, withinSeconds: number): Promise<Set<string>> {
    const rows = await db.query<{ model: string }>(
      `select distinct unnest(models) as model from worker where heard_at > now() - make_interval(secs => $1)`,
      [withinSeconds],
    );
    return new Set(rows.map(({ model }) => model));
  },
};
