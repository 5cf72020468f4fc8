import { onlyRow, type Queryable } from '../../platform/database/database.ts';

/** What a job counts for whose length nobody knows yet and no job has ended lately: ten minutes. */
const unknownSeconds = 600;

/**
 * Seconds of audio that wait to be recognised, one number: what workers are scaled by. A recording that is not decoded
 * yet counts as long as those of the last day were on average. The deployment's autoscaler runs the same statement.
 */
export const pendingAudioQuery = `
select coalesce(sum(case
    when chunks_total > 0 then duration_seconds * chunks_left / chunks_total
    when chunks_total is null then coalesce((
      select avg(recent.duration_seconds) from (
        select duration_seconds from transcription where status = 'completed'
        order by -number limit 200
      ) recent
    ), ${unknownSeconds})
    else 0
  end), 0)::float8 as pending_seconds
from transcription where status = 'processing'`;

export const pendingAudioStore = {
  async seconds(db: Queryable): Promise<number> {
    return onlyRow(await db.query<{ pending_seconds: number }>(pendingAudioQuery)).pending_seconds;
  },
};
