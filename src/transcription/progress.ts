import type { Queryable } from '../platform/database.ts';
import type { TranscriptionStatus } from './transcription.ts';

/** How far a job is, derived from its chunk rows. For the command line and the web product; not part of the API. */
export interface Progress {
  status: TranscriptionStatus;
  stage: 'preparing' | 'recognising' | 'finishing' | 'done';
  percent: number;
}

export async function progressOf(db: Queryable, transcriptionId: string): Promise<Progress | undefined> {
  const [row] = await db.query<{
    status: TranscriptionStatus;
    chunks_total: number | null;
    chunks_left: number | null;
  }>('select status, chunks_total, chunks_left from transcription where id = $1', [transcriptionId]);
  if (!row) return undefined;
  const { status, chunks_total: total, chunks_left: left } = row;
  if (status !== 'processing') return { status, stage: 'done', percent: 100 };
  if (total === null || left === null) return { status, stage: 'preparing', percent: 0 };
  if (left === 0) return { status, stage: 'finishing', percent: 99 };
  return { status, stage: 'recognising', percent: Math.floor((99 * (total - left)) / total) };
}
