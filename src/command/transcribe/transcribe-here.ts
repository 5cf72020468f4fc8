/** Jobs of `longhand transcribe` on this machine. */

import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { interruption } from '../interruption.ts';
import { type BatchDisplay, BatchProgress, silentDisplay } from './batch-progress.ts';
import { openLocalRunner } from './local-runner.ts';
import { ProgressBar } from './progress-bar.ts';
import type { Recording } from './recordings.ts';
import { expectedSeconds } from './remaining-time.ts';
import { type Batch, type Outcome, transcribeBatch } from './transcribe-batch.ts';
import { localJobsAtOnce, parallelOf, type TranscribeOptions } from './transcribe-options.ts';

export async function transcribeHere(
  context: CommandContext,
  batch: Batch,
  options: TranscribeOptions,
): Promise<Outcome[]> {
  const { config } = context;
  const { recordings } = batch;
  const atOnce = parallelOf(options, localJobsAtOnce(config.workers));
  const interrupted = interruption();
  const display = options.follow ? silentDisplay : progressOf(context, recordings);
  try {
    const runner = await openLocalRunner(context, batch.jobOptions);
    try {
      return await transcribeBatch(batch, { runner, atOnce, display, interrupted });
    } finally {
      await runner.close();
    }
  } catch (error) {
    if (interrupted.aborted)
      throw new CommandFailure('Interrupted; what was not written yet is not kept.', { exitCode: 130 });
    throw error;
  } finally {
    display.stop();
  }
}

function progressOf({ config, clock }: CommandContext, recordings: readonly Recording[]): BatchDisplay {
  const expected = expectedSeconds(recordings, config.workers);
  const bar = new ProgressBar(process.stderr, { clock, expectedSeconds: expected });
  return new BatchProgress(recordings, bar);
}
