/** Recordings, several at a time, each on its own: one that fails does not stop the others. */
import type { BatchDisplay } from './batch-progress.ts';
import type { FinishedJob, JobOptions, JobRunner } from './job-runner.ts';
import type { Recording } from './recordings.ts';

export type Outcome = { recording: Recording; output: string | undefined } & (
  | { job: FinishedJob }
  | { error: Error }
);

/** Recordings and what becomes of them. */
export interface Batch {
  recordings: readonly Recording[];
  jobOptions: JobOptions;
  /** Where each transcript goes; undefined: to standard output. */
  outputs: readonly string[] | undefined;
  /** Called with each part of a text as it comes. */
  onText?: ((index: number, text: string) => void) | undefined;
  /** Called as soon as a recording has ended, in any order. */
  onEnd(outcome: Outcome): Promise<Outcome>;
  /** Called in the order in which the recordings were named. */
  inOrder(outcome: Outcome): void;
}

export interface BatchOptions {
  runner: JobRunner;
  atOnce: number;
  display: BatchDisplay;
  interrupted: AbortSignal;
}

/** Resolves when all have ended, in their order; rejects only when interrupted. */
export async function transcribeBatch(
  batch: Batch,
  { runner, atOnce, display, interrupted }: BatchOptions,
): Promise<Outcome[]> {
  const { recordings } = batch;
  const outcomes: Outcome[] = [];
  let next = 0;
  let shown = 0;
  const takeOne = async () => {
    for (let index = next++; index < recordings.length; index = next++) {
      interrupted.throwIfAborted();
      const outcome = await outcomeOf(batch, index, { runner, display, interrupted });
      outcomes[index] = await batch.onEnd(outcome);
      display.ended(index);
      display.clear();
      for (let ended = outcomes[shown]; ended; ended = outcomes[++shown]) batch.inOrder(ended);
    }
  };
  const lanes = Array.from({ length: Math.min(atOnce, recordings.length) }, takeOne);
  const ends = await Promise.allSettled(lanes);
  // Only when interrupted, and only when each job has cleaned up after itself.
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return outcomes;
}

async function outcomeOf(
  { recordings, jobOptions, outputs, onText }: Batch,
  index: number,
  { runner, display, interrupted }: Omit<BatchOptions, 'atOnce'>,
): Promise<Outcome> {
  const recording = recordings[index] as Recording;
  const output = outputs?.[index];
  try {
    const job = await runner.run(recording, jobOptions, {
      signal: interrupted,
      onProgress: (progress) => display.reached(index, progress),
      ...(onText ? { onText: (text: string) => onText(index, text) } : {}),
    });
    return { recording, output, job };
  } catch (error) {
    interrupted.throwIfAborted();
    return { recording, output, error: error instanceof Error ? error : new Error(String(error)) };
  }
}
