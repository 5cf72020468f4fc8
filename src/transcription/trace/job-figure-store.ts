/** Figures about the jobs and workers of all processes, for whoever watches them. */
import { onlyRow, type Queryable } from '../../platform/database/database.ts';

export interface StageFigure {
  /** `waiting`: not started, because others of its account run. */
  stage: string;
  plan: string;
  jobs: number;
  oldestSeconds: number;
}

export interface WorkerFigure {
  version: string;
  workers: number;
  capacity: number;
}

/** A worker that was silent for so long is not counted. */
const silentSecondsMax = 30;

export const jobFigureStore = {
  /** Jobs in progress, by what they do and by the plan of their account; and for how long the oldest does so. */
  async byStage(db: Queryable): Promise<StageFigure[]> {
    return await db.query<StageFigure & Record<string, unknown>>(
      `select case when admitted_at is null then 'waiting' else stage end as stage, account.plan,
         count(*)::int as jobs,
         extract(epoch from now() - min(case when admitted_at is null then transcription.created_at else stage_at end))::float8
           as "oldestSeconds"
       from transcription join account on account.id = account_id
       where status = 'processing' group by 1, 2`,
    );
  },

  async workers(db: Queryable): Promise<WorkerFigure[]> {
    return await db.query<WorkerFigure & Record<string, unknown>>(
      `select coalesce(version, 'unknown') as version, count(*)::int as workers,
         coalesce(sum(capacity), 0)::int as capacity
       from worker where heard_at > now() - make_interval(secs => $1) group by 1`,
      [silentSecondsMax],
    );
  },

  /** Tasks that wait in each queue, due or not; and for how long the first of them is due. */
  async tasks(db: Queryable): Promise<{ step: string; tasks: number; oldestSeconds: number }[]> {
    return await db.query(
      `select name as step, count(*)::int as tasks,
         greatest(0, extract(epoch from now() - min(start_after)))::float8 as "oldestSeconds"
       from queue.job where state < 'active' and name not like '%-dead' group by 1`,
    );
  },

  async databaseBytes(db: Queryable): Promise<number> {
    const rows = await db.query<{ bytes: string }>('select pg_database_size(current_database()) as bytes');
    return Number(onlyRow(rows).bytes);
  },
};
