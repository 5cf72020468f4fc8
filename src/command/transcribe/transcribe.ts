/** `longhand transcribe`: whole jobs on this machine or on a server, for one recording or many. */
import { type CommandContext, commandContext } from '../command-context.ts';
import { type ServerAddress, serverAddress } from '../server/server-address.ts';
import { UsageError } from '../usage-error.ts';
import { FollowedText } from './followed-text.ts';
import type { JobOptions } from './job-runner.ts';
import { type Recordings, recordingsOf } from './recordings.ts';
import { renderedTranscript, transcriptForPrograms } from './rendered-transcript.ts';
import { sourceList } from './source-list.ts';
import type { Batch, Outcome } from './transcribe-batch.ts';
import {
  type Format,
  formatOf,
  jobOptionsOf,
  refuseFollow,
  refuseImpossible,
  type TranscribeOptions,
} from './transcribe-options.ts';
import { plannedFiles, writeTranscript } from './transcript-file.ts';

/** Resolves with false when a recording of several failed; throws when the only one did. */
export async function transcribe(given: readonly string[], options: TranscribeOptions): Promise<boolean> {
  const format = formatOf(options);
  const jobOptions = jobOptionsOf(options);
  const context = commandContext();
  const server = await serverAddress(options, context.config.client);
  refuseImpossible(options, server);
  refuseFollow(options, format);
  const found = await foundFrom(given, options, { context, server });
  const [unusable] = found.unusable;
  if (unusable && found.isSingle) throw new UsageError(unusable.reason);
  refuseMixedOutput(found, options, format);
  const outputs = await plannedFiles(found.recordings, options, format);
  for (const { reason } of found.unusable) process.stderr.write(`longhand: ${reason}\n`);

  const outcomes =
    found.recordings.length === 0
      ? []
      : await allOf(context, found, { server, outputs, options, jobOptions, format });
  if (found.isSingle) throwFailure(outcomes);
  if (options.json && !(found.isSingle && outputs === undefined)) printForPrograms(found, outcomes);
  const failed = found.unusable.length + outcomes.filter((one) => 'error' in one).length;
  if (!found.isSingle) process.stderr.write(`${summary(outcomes.length + found.unusable.length, failed)}\n`);
  return failed === 0;
}

async function foundFrom(
  given: readonly string[],
  { fromFile }: TranscribeOptions,
  { context, server }: { context: CommandContext; server: ServerAddress | undefined },
): Promise<Recordings> {
  const listed = fromFile === undefined ? [] : await sourceList(fromFile);
  const sources = [...given, ...listed];
  if (sources.length === 0) throw new UsageError("missing required argument 'sources', or --from-file.");
  const rules = { egressAllow: server ? undefined : context.config.egressAllow };
  const found = await recordingsOf(sources, rules);
  return { ...found, isSingle: found.isSingle && fromFile === undefined };
}

interface Ordered {
  server: ServerAddress | undefined;
  outputs: readonly string[] | undefined;
  options: TranscribeOptions;
  jobOptions: JobOptions;
  format: Format;
}

async function allOf(
  context: CommandContext,
  found: Recordings,
  { server, outputs, options, jobOptions, format }: Ordered,
): Promise<Outcome[]> {
  const { recordings } = found;
  const followed = options.follow
    ? new FollowedText(recordings, (text) => process.stdout.write(text))
    : undefined;
  const batch: Batch = {
    recordings,
    jobOptions,
    outputs,
    onText: followed && ((index, text) => followed.add(index, text)),
    onEnd: (outcome) => written(outcome, format),
    inOrder(outcome) {
      followed?.ended(recordings.indexOf(outcome.recording));
      const isShown = followed !== undefined;
      tell(outcome, found, { isJson: options.json === true, isShown, format });
    },
  };
  if (!server) return (await import('./transcribe-here.ts')).transcribeHere(context, batch, options);
  return (await import('./transcribe-on-server.ts')).transcribeOnServer(context, batch, { server, options });
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
  { isJson, isShown, format }: { isJson: boolean; isShown: boolean; format: Format },
): void {
  const { recording, output } = outcome;
  if ('error' in outcome) {
    if (!isSingle) process.stderr.write(`longhand: ${recording.name}: ${outcome.error.message}\n`);
  } else if (output !== undefined) {
    if (!isSingle) process.stderr.write(`${recording.name} → ${output}\n`);
  } else if (isShown) {
    return;
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
