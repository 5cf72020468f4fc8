/** Jobs on a server that the user chose. */

import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import { interruption } from '../interruption.ts';
import type { ServerAddress } from '../server/server-address.ts';
import { verifiedClient } from '../server/server-client.ts';
import { silentDisplay } from './batch-progress.ts';
import { JobMemory } from './job-memory.ts';
import { ProgressLines } from './progress-lines.ts';
import { serverRunner } from './server-runner.ts';
import { type Batch, type Outcome, transcribeBatch } from './transcribe-batch.ts';
import { parallelOf, serverJobsAtOnce, type TranscribeOptions } from './transcribe-options.ts';

export async function transcribeOnServer(
  { config, clock }: CommandContext,
  batch: Batch,
  { server, options }: { server: ServerAddress; options: TranscribeOptions },
): Promise<Outcome[]> {
  const { recordings } = batch;
  const atOnce = parallelOf(options, serverJobsAtOnce);
  const interrupted = interruption();
  const display = options.follow ? silentDisplay : new ProgressLines(process.stderr, { clock, recordings });
  try {
    const client = await verifiedClient(server, interrupted);
    const memory = new JobMemory(config.client.stateDir, clock);
    await memory.open();
    const runner = serverRunner({ client, url: server.url, memory, anew: options.again === true });
    return await transcribeBatch(batch, { runner, atOnce, display, interrupted });
  } catch (error) {
    if (interrupted.aborted)
      throw new CommandFailure('Interrupted; the same command goes on where this one ended.', {
        exitCode: 130,
      });
    throw error;
  } finally {
    display.stop();
  }
}
