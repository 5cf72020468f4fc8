import type { Queryable } from '../platform/database.ts';
import type { Stage, Transcription } from './transcription.ts';

/** How far a job is. For the command line, the event stream and the web product; not part of the specification. */
export interface Progress {
  status: Transcription['status'];
  stage: Stage | 'done';
  percent: number;
}

/** Where each stage begins, in percent of the whole: fetching and decoding take about a tenth of an ordinary job. */
const stageStarts: Readonly<Record<Stage, number>> = {
  queued: 0,
  fetching: 0,
  decoding: 4,
  recognising: 8,
  finishing: 99,
};

export async function progressOf(db: Queryable, transcriptionId: string): Promise<Progress | undefined> {
  const [row] = await db.query<{
    status: Transcription['status'];
    stage: Stage;
    stage_fraction: number;
    chunks_total: number | null;
    chunks_left: number | null;
  }>('select status, stage, stage_fraction, chunks_total, chunks_left from transcription where id = $1', [
    transcriptionId,
  ]);
  if (!row) return undefined;
  const { status, stage, stage_fraction: fraction, chunks_total: total, chunks_left: left } = row;
  if (status !== 'processing') return { status, stage: 'done', percent: 100 };
  const done = stage === 'recognising' ? ((total ?? 1) - (left ?? 1)) / (total || 1) : fraction;
  return { status, stage, percent: percentOf(stage, done) };
}

function percentOf(stage: Stage, fraction: number): number {
  const start = stageStarts[stage];
  const next = Object.values(stageStarts).find((value) => value > start) ?? start;
  return Math.floor(start + (next - start) * fraction);
}
