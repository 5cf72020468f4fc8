import type { Queryable } from '../platform/database/database.ts';
import { type Progress, type ProgressRow, progressIn } from './progress.ts';

/** What a query over jobs selects for `progressIn`. */
export const progressColumns =
  'status, stage, stage_fraction, extract(epoch from now() - stage_at)::float8 as stage_seconds, duration_seconds, chunks_total, chunks_left';

export const progressStore = {
  async find(db: Queryable, transcriptionId: string): Promise<Progress | undefined> {
    const [row] = await db.query<ProgressRow & Record<string, unknown>>(
      `select ${progressColumns} from transcription where id = $1`,
      [transcriptionId],
    );
    return row && progressIn(row);
  },
};
