/** `longhand watch`: an inbox folder. Recordings that arrive are transcribed, here or on a server, each once. */
import { watch as watchFolder } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { type CommandContext, commandContext } from '../command-context.ts';
import { interruption } from '../interruption.ts';
import { wholeNumber } from '../option-value.ts';
import { type ServerAddress, type ServerOptions, serverAddress } from '../server/server-address.ts';
import { verifiedClient } from '../server/server-client.ts';
import { JobMemory } from '../transcribe/job-memory.ts';
import { openLocalRunner } from '../transcribe/local-runner.ts';
import { RunnerOnDemand } from '../transcribe/runner-on-demand.ts';
import { serverRunner } from '../transcribe/server-runner.ts';
import {
  formatOf,
  jobOptionsOf,
  localJobsAtOnce,
  parallelOf,
  refuseImpossible,
  serverJobsAtOnce,
} from '../transcribe/transcribe-options.ts';
import { UsageError } from '../usage-error.ts';
import { Inbox, type InboxEvent } from './inbox.ts';
import { type FoundFile, SettledFiles } from './settled-files.ts';
import { journalPath, WatchJournal } from './watch-journal.ts';
import { lockFolder } from './watch-lock.ts';

export interface WatchOptions extends ServerOptions {
  format?: string;
  outputDir?: string;
  speakers?: boolean;
  speakerCount?: string;
  language?: string;
  parallel?: string;
  settle?: string;
  retryFailed?: boolean;
  json?: boolean;
}

/** The system tells of changes at once where it can; this finds what it does not tell, as on network shares. */
const scanEveryMs = 10_000;
/** Between two looks, however much happens: a recording that is being written tells of itself all the time. */
const scanPauseMs = 500;
/** Models and database are given back after so long without work. */
const restAfterMs = 60_000;
const settleSeconds = 5;

export async function watch(given: string, options: WatchOptions): Promise<void> {
  const format = formatOf(options);
  const jobOptions = jobOptionsOf(options);
  const settleMs =
    1000 * wholeNumber('--settle', options.settle, { min: 1, max: 3_600, otherwise: settleSeconds });
  const context = commandContext();
  const { config, clock } = context;
  const server = await serverAddress(options, config.client);
  refuseImpossible(options, server);
  const parallel = parallelOf(options, server ? serverJobsAtOnce : localJobsAtOnce(config.workers));
  const folder = await folderAt(given);
  const outputFolder = options.outputDir === undefined ? folder : await madeFolder(options.outputDir);
  const interrupted = interruption();
  const identity = [folder, outputFolder, format];
  const journal = await WatchJournal.open(config.client.stateDir, identity);
  const unlock = await lockFolder(journalPath(config.client.stateDir, identity), clock);
  const runner = new RunnerOnDemand(() => openLocalRunner(context, jobOptions));
  try {
    await greet(folder, journal, { server, options });
    const inbox = new Inbox({
      folder,
      outputFolder,
      format,
      jobOptions,
      runner: server ? await openServerRunner(context, server, interrupted) : runner,
      journal,
      clock,
      parallel,
      tell: (event) => tell(event, options),
    });
    await tend(inbox, { folder, settleMs, context, interrupted, rest: () => runner.rest() });
  } finally {
    await runner.close();
    await unlock();
  }
}

async function openServerRunner(
  { config, clock }: CommandContext,
  server: ServerAddress,
  signal: AbortSignal,
) {
  const client = await verifiedClient(server, signal);
  const memory = new JobMemory(config.client.stateDir, clock);
  await memory.open();
  return serverRunner({ client, url: server.url, memory, anew: false });
}

interface Tending {
  folder: string;
  settleMs: number;
  context: CommandContext;
  interrupted: AbortSignal;
  rest(): Promise<void>;
}

/** Until it is interrupted, which is how it ends, or until nothing more can be done. */
async function tend(inbox: Inbox, { folder, settleMs, context, interrupted, rest }: Tending): Promise<void> {
  const { clock } = context;
  const ending = AbortSignal.any([interrupted, inbox.broken]);
  const files = new SettledFiles(folder, { settleMs, clock });
  let wake = new AbortController();
  const changes = changesOf(folder, () => wake.abort());
  let busyAtMs = clock.now();
  let isReadable = true;
  try {
    while (!ending.aborted) {
      wake = new AbortController();
      const scan = await files.scan().catch(() => undefined);
      if (isReadable && !scan) process.stderr.write(`longhand: The folder "${folder}" cannot be read now.\n`);
      isReadable = scan !== undefined;
      const settled: FoundFile[] = scan?.settled ?? [];
      const isBusy = inbox.take(settled, { signal: ending, onEnd: () => wake.abort() });
      if (isBusy) busyAtMs = clock.now();
      else if (clock.now() - busyAtMs > restAfterMs) await rest();
      await clock.sleep(scanPauseMs, ending).catch(() => {});
      const waking = AbortSignal.any([ending, wake.signal]);
      if (!scan?.unsettled) await clock.sleep(scanEveryMs, waking).catch(() => {});
    }
  } finally {
    changes.close();
    await inbox.ended();
  }
  if (inbox.broken.aborted) throw inbox.broken.reason;
}

/** Only a hint: where the system cannot watch, or loses track, the scans find everything. */
function changesOf(folder: string, onChange: () => void): { close(): void } {
  try {
    const watcher = watchFolder(folder, { recursive: true, persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return { close: () => {} };
  }
}

async function greet(
  folder: string,
  journal: WatchJournal,
  { server, options }: { server: ServerAddress | undefined; options: WatchOptions },
): Promise<void> {
  const failed = [...journal.entries()].filter(([, { state }]) => state === 'failed').map(([path]) => path);
  if (options.retryFailed) await journal.forget(failed);
  if (options.json) return;
  const where = server ? `on ${server.url}` : 'on this machine';
  process.stderr.write(`Watching "${folder}"; recordings are transcribed ${where}. Ctrl-C ends it.\n`);
  if (failed.length > 0 && !options.retryFailed)
    process.stderr.write(`longhand: ${failed.length} failed before; --retry-failed tries them again.\n`);
}

function tell(event: InboxEvent, { json }: WatchOptions): void {
  const { path, output, kind } = event;
  const error = 'error' in event ? event.error : null;
  if (json) {
    const retry = kind === 'postponed' ? { retry_seconds: Math.round(event.retryMs / 1000) } : {};
    process.stdout.write(`${JSON.stringify({ source: path, output, state: kind, error, ...retry })}\n`);
  } else if (kind === 'done') process.stdout.write(`${path} → ${output}\n`);
  else if (kind === 'found') process.stdout.write(`${path}: there is a transcript already, ${output}\n`);
  else if (kind === 'failed') process.stderr.write(`longhand: ${path}: ${error}\n`);
  else {
    const seconds = Math.round(event.retryMs / 1000);
    process.stderr.write(`longhand: ${path}: ${error} It is tried again in ${seconds} s.\n`);
  }
}

async function folderAt(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`There is no folder "${path}".`);
  return await realpath(path);
}

async function madeFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true }).catch((error: Error) => {
    throw new UsageError(`The folder "${path}" cannot be made: ${error.message}.`);
  });
  return await realpath(path);
}
