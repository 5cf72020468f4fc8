/** Jobs on this machine, with the models, the database and the worker that they need. */
import { lazyEgress } from '../../service/lazy-egress.ts';
import { openSpeech } from '../../service/speech.ts';
import type { CommandContext } from '../command-context.ts';
import { CommandFailure } from '../command-failure.ts';
import type { JobOptions, JobRunner } from './job-runner.ts';

export async function openLocalRunner(
  { config, clock, logger }: CommandContext,
  { language }: Pick<JobOptions, 'language'>,
): Promise<JobRunner> {
  const egress = lazyEgress(config, clock);
  const speech = await openSpeech({ config, clock, logger }, egress);
  const close = async () => {
    await speech?.close();
    await egress.close();
  };
  try {
    if (!speech)
      throw new CommandFailure(
        'The speech models are not installed: run "longhand models install --default".',
      );
    // The models are loaded while the rest of the program is, and while the database starts.
    speech.warmUp(config.engine.name, language);
    const { openJobRunner } = await import('./transcribe-job.ts');
    const jobs = await openJobRunner({ config, clock, logger, egress }, speech);
    return {
      run: jobs.run,
      async close() {
        try {
          await jobs.close();
        } finally {
          await close();
        }
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
