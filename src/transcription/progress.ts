import type { Stage, Transcription } from './transcription.ts';

/** How far a job is. For the event stream, the command line and the web product; not part of the specification. */
export interface Progress {
  status: Transcription['status'];
  stage: Stage | 'done';
  percent: number;
  /** Seconds of audio recognised, and of how many; null until the length is known. */
  audioSecondsDone: number | null;
  audioSecondsTotal: number | null;
  /** An estimate; null while nothing can be said. */
  secondsLeft: number | null;
}

/** Where each stage begins, in percent of the whole: fetching and decoding take about a tenth of an ordinary job. */
const stageStarts: Readonly<Record<Stage, number>> = {
  queued: 0,
  fetching: 0,
  decoding: 4,
  recognising: 8,
  finishing: 99,
};
/** Before so much of a stage is done its speed says little. */
const fractionTelling = 0.02;

/** What a query has to give so that `progressIn` can tell how far a job is. */
export interface ProgressRow {
  status: Transcription['status'];
  stage: Stage;
  /** While it recognises: what was done when that began. */
  stage_fraction: number;
  stage_seconds: number;
  duration_seconds: number | null;
  chunks_total: number | null;
  chunks_left: number | null;
}

export function progressIn(row: ProgressRow): Progress {
  const { status, stage, duration_seconds: total } = row;
  if (status !== 'processing') {
    const done = status === 'completed' ? total : null;
    return {
      status,
      stage: 'done',
      percent: 100,
      audioSecondsDone: done,
      audioSecondsTotal: total,
      secondsLeft: 0,
    };
  }
  const fraction = fractionOf(row);
  const isRecognised = stage === 'recognising' || stage === 'finishing';
  return {
    status,
    stage,
    percent: percentOf(stage, fraction),
    audioSecondsDone: total !== null && isRecognised ? Math.round(total * fraction) : null,
    audioSecondsTotal: total,
    secondsLeft: stage === 'recognising' ? secondsLeft(row, fraction) : null,
  };
}

function fractionOf({
  stage,
  stage_fraction: fraction,
  chunks_total: total,
  chunks_left: left,
}: ProgressRow) {
  if (stage === 'finishing') return 1;
  return stage === 'recognising' && total && left !== null ? (total - left) / total : fraction;
}

function percentOf(stage: Stage, fraction: number): number {
  const start = stageStarts[stage];
  const next = Object.values(stageStarts).find((value) => value > start) ?? start;
  return Math.floor(start + (next - start) * fraction);
}

/** By the speed of the stage: what was recognised before it began tells nothing of that. */
function secondsLeft(
  { stage_seconds: spentSeconds, stage_fraction: before }: ProgressRow,
  fraction: number,
): number | null {
  const done = fraction - before;
  return done < fractionTelling ? null : Math.ceil((spentSeconds * (1 - fraction)) / done);
}
