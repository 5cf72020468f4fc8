import { onlyRow, type Queryable } from '../../platform/database/database.ts';
import type { Step } from '../step/steps.ts';

/** One step of one job; `index` of a chunk for the step recognise. */
export interface StepOfJob {
  transcriptionId: string;
  step: Step;
  index?: number | undefined;
}

const reasonCharactersMax = 1_000;

/** What went wrong in a step, counted for that step alone. */
export const stepFaultStore = {
  /** A try that counts; gives how many there were, this one included. */
  async countFault(db: Queryable, at: StepOfJob, reason: string): Promise<number> {
    return (await count(db, at, reason, { faults: 1, outages: 0 })).faults;
  },

  /** A try that something was away for; gives how many there were. */
  async countOutage(db: Queryable, at: StepOfJob, reason: string): Promise<number> {
    return (await count(db, at, reason, { faults: 0, outages: 1 })).outages;
  },
};

/** A job that is gone meanwhile counts nothing. */
async function count(
  db: Queryable,
  { transcriptionId, step, index = -1 }: StepOfJob,
  reason: string,
  { faults, outages }: { faults: number; outages: number },
): Promise<{ faults: number; outages: number }> {
  const rows = await db.query<{ faults: number; outages: number }>(
    `insert into step_fault as known (transcription_id, step, chunk_index, faults, outages, reason)
     select id, $2, $3, $4, $5, $6 from transcription where id = $1
     on conflict (transcription_id, step, chunk_index) do update
     set faults = known.faults + excluded.faults, outages = known.outages + excluded.outages,
       reason = excluded.reason, last_at = now()
     returning faults, outages`,
    [transcriptionId, step, index, faults, outages, reason.slice(0, reasonCharactersMax)],
  );
  return rows.length === 0 ? { faults: 0, outages: 0 } : onlyRow(rows);
}
