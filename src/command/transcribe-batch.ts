/** Recordings, several at a time, each on its own: one that fails does not stop the others. */
import { BatchProgress } from './batch-progress.ts';
import type { ProgressBar } from './progress-bar.ts';
import type { Recording } from './recordings.ts';
import type { FinishedJob, JobOptions, JobRunner } from './transcribe-job.ts';

/** More at once would not be faster: the chunks of one long recording keep every worker busy. */
const jobsAtOnceMax = 4;

export type Outcome = { recording: Recording; output: string | undefined } & (
  | { job: FinishedJob }
  | { error: Error }
);

export interface BatchOptions {
  runner: JobRunner;
  jobOptions: JobOptions;
  workers: number;
  bar: ProgressBar;
  interrupted: AbortSignal;
  /** Where each transcript goes; undefined: to standard output. */
  outputs: readonly string[] | undefined;
  /** Called as soon as a recording has ended, in any order. */
  onEnd(outcome: Outcome): Promise<Outcome>;
  /** Called in the order in which the recordings were named. */
  inOrder(outcome: Outcome): void;
}

/** Resolves when all have ended, in their order; rejects only when interrupted. */
export async function transcribeBatch(
  recordings: readonly Recording[],
  options: BatchOptions,
): Promise<Outcome[]> {
  const progress = new BatchProgress(recordings);
  const outcomes: Outcome[] = [];
  let next = 0;
  let shown = 0;
  const takeOne = async () => {
    for (let index = next++; index < recordings.length; index = next++) {
      options.interrupted.throwIfAborted();
      outcomes[index] = await options.onEnd(await outcomeOf(recordings, index, progress, options));
      options.bar.show(progress.ended(index));
      for (let outcome = outcomes[shown]; outcome; outcome = outcomes[++shown]) options.inOrder(outcome);
    }
  };
  const atOnce = Math.min(options.workers, jobsAtOnceMax, recordings.length);
  const ends = await Promise.allSettled(Array.from({ length: atOnce }, takeOne));
  // Only when interrupted, and only when each job has cleaned up after itself.
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return outcomes;
}

async function outcomeOf(
  recordings: readonly Recording[],
  index: number,
  progress: BatchProgress,
  { runner, jobOptions, bar, interrupted, outputs }: BatchOptions,
): Promise<Outcome> {
  const recording = recordings[index] as Recording;
  const output = outputs?.[index];
  try {
    const job = await runner.run(recording, jobOptions, {
      signal: interrupted,
      onProgress: (state) => bar.show(progress.reached(index, state)),
    });
    return { recording, output, job };
  } catch (error) {
    interrupted.throwIfAborted();
    return { recording, output, error: error instanceof Error ? error : new Error(String(error)) };
  }
}
