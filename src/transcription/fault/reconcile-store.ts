import type { Queryable } from '../../platform/database/database.ts';
import { liveTasks } from '../../platform/queue/task-store.ts';
import { type Step, stepQueues } from '../step/steps.ts';

export interface MissingTask {
  transcriptionId: string;
  step: Step;
  index: number | null;
  lane: number;
}

const reconcileLock = 7_004_001;
const duty = 'reconcile';
/** The rest waits for the next pass. */
const batchSize = 1_000;

export const reconcileStore = {
  /** One pass at a time, over all processes. The lock ends with the transaction, so a pooler may stand between. */
  async tryLock(tx: Queryable): Promise<boolean> {
    const [row] = await tx.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
      reconcileLock,
    ]);
    return row?.locked === true;
  },

  /** Whether no process did it so lately. */
  async isDue(db: Queryable, seconds: number): Promise<boolean> {
    const rows = await db.query(
      'select from duty where name = $1 and done_at > now() - make_interval(secs => $2)',
      [duty, seconds],
    );
    return rows.length === 0;
  },

  /** Marks the duty as done; gives how long ago it was done before, in seconds. */
  async markDone(tx: Queryable): Promise<number> {
    const [before] = await tx.query<{ seconds: number }>(
      'select extract(epoch from now() - done_at)::float8 as seconds from duty where name = $1',
      [duty],
    );
    await tx.query('insert into duty (name) values ($1) on conflict (name) do update set done_at = now()', [
      duty,
    ]);
    return before?.seconds ?? 0;
  },

  /** For a time in which no process of ours ran: nothing could move, and that is no standstill. */
  async forgiveStandstill(tx: Queryable, seconds: number): Promise<void> {
    await tx.query(
      `update transcription set progressed_at = least(now(), progressed_at + make_interval(secs => $1))
       where status = 'processing' and admitted_at is not null`,
      [seconds],
    );
  },

  /** Jobs of which no step has succeeded for so long. */
  async standingStill(tx: Queryable, seconds: number): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `select id from transcription
       where status = 'processing' and admitted_at is not null
         and progressed_at < now() - make_interval(secs => $1)
       limit ${batchSize}`,
      [seconds],
    );
    return rows.map(({ id }) => id);
  },

  /** What is to be done and has no task: the state of a job says which. One statement sees both at the same moment. */
  async missingTasks(tx: Queryable): Promise<MissingTask[]> {
    const rows = await tx.query<{ id: string; step: Step; index: number | null; lane: string }>(
      `with running as (
         select transcription.id, account.number as lane, chunks_total, chunks_left,
           case when chunks_total is not null then 'finish'
                when source ->> 'kind' = 'url' and media is null then 'fetch'
                else 'decode' end as step
         from transcription join account on account.id = account_id
         where status = 'processing' and admitted_at is not null
       ), whole_job_task as (
         ${['fetch', 'decode', 'finish']
           .map(
             (step) =>
               `select '${step}' as step, data ->> 'transcriptionId' as id from ${liveOf(step as Step)} as task`,
           )
           .join(' union all ')}
       ), chunk_task as (
         select data ->> 'transcriptionId' as id, data ->> 'index' as index from ${liveOf('recognise')} as task
       )
       select id, step, null::int as index, lane from running
       where (chunks_total is null or chunks_left = 0)
         and not exists (select from whole_job_task as task where task.id = running.id::text and task.step = running.step)
       union all
       select running.id, 'recognise', chunk.index, lane
       from running join chunk on chunk.transcription_id = running.id and chunk.status = 'waiting'
       where chunks_left is distinct from 0
         and not exists (select from chunk_task as task
                         where task.id = running.id::text and task.index = chunk.index::text)
       limit ${batchSize}`,
    );
    return rows.map(({ id, step, index, lane }) => ({
      transcriptionId: id,
      step,
      index,
      lane: Number(lane),
    }));
  },
};

function liveOf(step: Step): string {
  return liveTasks(stepQueues[step].name);
}
