/** `longhand transcribe`: whole jobs on this machine, for one recording or many. */
import { lazyEgress } from '../service/lazy-egress.ts';
import { openSpeech } from '../service/speech.ts';
import { type CommandContext, commandContext } from './command-context.ts';
import { CommandFailure } from './command-failure.ts';
import { ProgressBar } from './progress-bar.ts';
import { type Recording, type Recordings, recordingsOf } from './recordings.ts';
import { expectedSeconds } from './remaining-time.ts';
import { renderedTranscript, transcriptForPrograms } from './rendered-transcript.ts';
import type { BatchOptions, Outcome } from './transcribe-batch.ts';
import type { JobOptions } from './transcribe-job.ts';
import {
  type Format,
  formatOf,
  languageOf,
  speakerCountOf,
  type TranscribeOptions,
} from './transcribe-options.ts';
import { plannedFiles, writeTranscript } from './transcript-file.ts';
import { UsageError } from './usage-error.ts';

/** Resolves with false when a recording of several failed; throws when the only one did. */
export async function transcribe(given: readonly string[], options: TranscribeOptions): Promise<boolean> {
  const format = formatOf(options);
  const jobOptions: JobOptions = {
    language: languageOf(options),
    speakers: options.speakers === true || options.speakerCount !== undefined,
    speakerCount: speakerCountOf(options),
  };
  const context = commandContext();
  const found = await recordingsOf(given, context.config);
  const [unusable] = found.unusable;
  if (unusable && found.isSingle) throw new UsageError(unusable.reason);
  refuseMixedOutput(found, options, format);
  const outputs = await plannedFiles(found.recordings, options, format);
  for (const { reason } of found.unusable) process.stderr.write(`longhand: ${reason}\n`);

  const outcomes =
    found.recordings.length === 0
      ? []
      : await allOf(context, found.recordings, jobOptions, (bar) => ({
          outputs,
          onEnd: (outcome) => written(outcome, format),
          inOrder: (outcome) => tell(outcome, found, { bar, isJson: options.json === true, format }),
        }));
  if (found.isSingle) throwFailure(outcomes);
  if (options.json && !(found.isSingle && outputs === undefined)) printForPrograms(found, outcomes);
  const failed = found.unusable.length + outcomes.filter((one) => 'error' in one).length;
  if (!found.isSingle) process.stderr.write(`${summary(outcomes.length + found.unusable.length, failed)}\n`);
  return failed === 0;
}

/** Several transcripts in one stream are only readable as text with titles, or as one JSON object. */
function refuseMixedOutput({ isSingle }: Recordings, options: TranscribeOptions, format: Format): void {
  if (isSingle) return;
  if (options.output !== undefined)
    throw new UsageError('--output takes one transcript; use --output-dir for several recordings.');
  if (options.outputDir === undefined && (format === 'srt' || format === 'vtt'))
    throw new UsageError(`Several recordings as ${format} need a folder: use --output-dir.`);
  if (options.outputDir === undefined && format === 'json' && !options.json)
    throw new UsageError('Several recordings as json need --output-dir, or --json for one object.');
}

async function allOf(
  { config, clock, logger }: CommandContext,
  recordings: readonly Recording[],
  jobOptions: JobOptions,
  handlers: (bar: ProgressBar) => Pick<BatchOptions, 'outputs' | 'onEnd' | 'inOrder'>,
): Promise<Outcome[]> {
  const interrupted = interruption();
  const bar = new ProgressBar(process.stderr, {
    clock,
    expectedSeconds: expectedSeconds(recordings, config.workers),
  });
  const egress = lazyEgress(config, clock);
  const speech = await openSpeech({ config, clock, logger }, egress);
  try {
    if (!speech)
      throw new CommandFailure(
        'The speech models are not installed: run "longhand models install --default".',
      );
    // The models are loaded while the rest of the program is, and while the database starts.
    speech.warmUp(config.engine.name, jobOptions.language);
    const [{ openJobRunner }, { transcribeBatch }] = await Promise.all([
      import('./transcribe-job.ts'),
      import('./transcribe-batch.ts'),
    ]);
    const runner = await openJobRunner({ config, clock, logger, egress }, speech);
    try {
      const { workers } = config;
      return await transcribeBatch(recordings, {
        runner,
        jobOptions,
        workers,
        bar,
        interrupted,
        ...handlers(bar),
      });
    } finally {
      await runner.close();
    }
  } catch (error) {
    if (interrupted.aborted)
      throw new CommandFailure('Interrupted; what was not written yet is not kept.', { exitCode: 130 });
    throw error;
  } finally {
    bar.stop();
    await speech?.close();
    await egress.close();
  }
}

/** A transcript that cannot be written counts as failed. */
async function written(outcome: Outcome, format: Format): Promise<Outcome> {
  if ('error' in outcome || outcome.output === undefined) return outcome;
  try {
    await writeTranscript(outcome.output, renderedTranscript(outcome.job, format));
    return outcome;
  } catch (error) {
    return { recording: outcome.recording, output: outcome.output, error: error as Error };
  }
}

function tell(
  outcome: Outcome,
  { isSingle }: Recordings,
  { bar, isJson, format }: { bar: ProgressBar; isJson: boolean; format: Format },
): void {
  bar.clear();
  const { recording, output } = outcome;
  if ('error' in outcome) {
    if (!isSingle) process.stderr.write(`longhand: ${recording.name}: ${outcome.error.message}\n`);
  } else if (output !== undefined) {
    if (!isSingle) process.stderr.write(`${recording.name} → ${output}\n`);
  } else if (isSingle) {
    process.stdout.write(renderedTranscript(outcome.job, format));
  } else if (!isJson) {
    process.stdout.write(`==> ${recording.name} <==\n${renderedTranscript(outcome.job, format)}\n`);
  }
}

function throwFailure(outcomes: readonly Outcome[]): void {
  for (const outcome of outcomes) if ('error' in outcome) throw outcome.error;
}

function printForPrograms({ unusable }: Recordings, outcomes: readonly Outcome[]): void {
  const transcriptions = [
    ...outcomes.map((outcome) => {
      const base = { source: outcome.recording.name, output: outcome.output ?? null };
      if ('error' in outcome) return { ...base, error: outcome.error.message };
      const { duration_seconds, ...text } = transcriptForPrograms(outcome.job);
      return { ...base, duration_seconds, ...(outcome.output === undefined ? text : {}), error: null };
    }),
    ...unusable.map(({ name, reason }) => ({ source: name, output: null, error: reason })),
  ];
  const failed = transcriptions.filter(({ error }) => error !== null).length;
  process.stdout.write(`${JSON.stringify({ transcriptions, failed })}\n`);
}

function summary(total: number, failed: number): string {
  const count = `${total} ${total === 1 ? 'recording' : 'recordings'}`;
  return failed === 0 ? `${count} transcribed.` : `longhand: ${failed} of ${count} failed.`;
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort());
  return controller.signal;
}
