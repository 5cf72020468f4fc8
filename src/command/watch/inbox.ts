/** The work of `longhand watch`: takes settled recordings, several at once, each until it is done or has failed for good. */
import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { labelOf } from '../../contract/label.ts';
import type { Clock } from '../../platform/clock.ts';
import { CommandFailure } from '../command-failure.ts';
import type { JobOptions, JobRunner } from '../transcribe/job-runner.ts';
import type { Recording } from '../transcribe/recordings.ts';
import { renderedTranscript } from '../transcribe/rendered-transcript.ts';
import { KeyRefused } from '../transcribe/server-runner.ts';
import type { Format } from '../transcribe/transcribe-options.ts';
import { transcriptPath } from '../transcribe/transcript-path.ts';
import type { FoundFile } from './settled-files.ts';
import { isVersion, type JournalEntry, type WatchJournal } from './watch-journal.ts';

/** Waits after faults that may pass: about two hours in all, then the recording counts as failed. */
const retryAfterMs = [10_000, 40_000, 160_000, 640_000, 1_800_000, 1_800_000, 1_800_000];

export type InboxEvent = { path: string; output: string } & (
  | { kind: 'done' }
  /** A transcript was there before we knew of the recording. */
  | { kind: 'found' }
  | { kind: 'failed'; error: string }
  | { kind: 'postponed'; error: string; retryMs: number }
);

export interface InboxDeps {
  folder: string;
  outputFolder: string;
  format: Format;
  jobOptions: JobOptions;
  runner: JobRunner;
  journal: WatchJournal;
  clock: Clock;
  parallel: number;
  tell(event: InboxEvent): void;
}

export class Inbox {
  readonly #deps: InboxDeps;
  readonly #active = new Map<string, Promise<void>>();
  readonly #notBeforeMs = new Map<string, number>();
  readonly #ending = new AbortController();

  constructor(deps: InboxDeps) {
    this.#deps = deps;
  }

  /** Aborts when nothing more can be done, with the reason. */
  get broken(): AbortSignal {
    return this.#ending.signal;
  }

  /** Takes as many as there is room for; true when others wait, or one is being worked on. */
  take(files: readonly FoundFile[], { signal, onEnd }: { signal: AbortSignal; onEnd(): void }): boolean {
    const wanted = files.filter((file) => this.#isWanted(file));
    for (const file of wanted.slice(0, Math.max(0, this.#deps.parallel - this.#active.size))) {
      const work = this.#work(file, signal)
        .catch((error: unknown) => this.#ending.abort(error))
        .finally(() => {
          this.#active.delete(file.path);
          onEnd();
        });
      this.#active.set(file.path, work);
    }
    return wanted.length > 0 || this.#active.size > 0;
  }

  async ended(): Promise<void> {
    await Promise.all(this.#active.values());
  }

  #isWanted(file: FoundFile): boolean {
    if (this.#active.has(file.path)) return false;
    const known = this.#deps.journal.get(file.path);
    if (known && known.state !== 'begun' && isVersion(known, file)) return false;
    return (this.#notBeforeMs.get(file.path) ?? 0) <= this.#deps.clock.now();
  }

  async #work(file: FoundFile, signal: AbortSignal): Promise<void> {
    const { journal, tell } = this.#deps;
    const { path } = file;
    const known = journal.get(path);
    const output = known?.output ?? this.#placeFor(path);
    const entry = journal.begun(path, file, output);
    // Before anything else is awaited: from here on the place is taken.
    await journal.set(path, entry);
    const isThere = (await stat(output).catch(() => undefined)) !== undefined;
    // Not ours to overwrite, or written by a process that died before it could note it.
    if (isThere && (!known || (known.state === 'begun' && isVersion(known, file) && !known.replaces))) {
      await journal.set(path, { ...entry, state: 'done' });
      tell({ path, output, kind: known ? 'done' : 'found' });
      return;
    }
    try {
      await this.#transcribe(file, entry, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof KeyRefused) throw error;
      await this.#failed(file, entry, error);
    }
  }

  async #transcribe(file: FoundFile, entry: JournalEntry, signal: AbortSignal): Promise<void> {
    const { folder, format, jobOptions, runner, journal, tell } = this.#deps;
    const { path } = file;
    const job = await runner.run(
      recordingOf(folder, file),
      { ...jobOptions, jobId: entry.jobId },
      { signal, onProgress: () => {} },
    );
    // One that grew meanwhile is another recording, which is taken when it has settled.
    if (!(await this.#isUnchanged(file))) return;
    await writeWhole(entry.output, renderedTranscript(job, format));
    await journal.set(path, { ...entry, state: 'done' });
    this.#notBeforeMs.delete(path);
    tell({ path, output: entry.output, kind: 'done' });
  }

  async #failed(file: FoundFile, entry: JournalEntry, cause: unknown): Promise<void> {
    const { journal, clock, tell } = this.#deps;
    const { path } = file;
    // Taken away or changed while it was read: no fault of the recording.
    if (!(await this.#isUnchanged(file))) return;
    const error = cause instanceof Error ? cause.message : String(cause);
    const pauseMs = retryAfterMs[entry.faults];
    const mayPass = !(cause instanceof CommandFailure) || cause.retryAfterMs !== undefined;
    if (!mayPass || pauseMs === undefined) {
      await journal.set(path, { ...entry, state: 'failed', error });
      tell({ path, output: entry.output, kind: 'failed', error });
      return;
    }
    const askedMs = cause instanceof CommandFailure ? (cause.retryAfterMs ?? 0) : 0;
    const retryMs = Math.max(pauseMs, askedMs);
    this.#notBeforeMs.set(path, clock.now() + retryMs);
    await journal.set(path, { ...entry, faults: entry.faults + 1, error });
    tell({ path, output: entry.output, kind: 'postponed', error, retryMs });
  }

  #placeFor(path: string): string {
    const { outputFolder: folder, format, journal } = this.#deps;
    const taken = new Set([...journal.entries()].map(([, { output }]) => output));
    return transcriptPath(path, { folder, format, isTaken: (place) => taken.has(place) });
  }

  async #isUnchanged({ path, sizeBytes, mtimeMs }: FoundFile): Promise<boolean> {
    const found = await stat(join(this.#deps.folder, path)).catch(() => undefined);
    return found?.size === sizeBytes && found.mtimeMs === mtimeMs;
  }
}

function recordingOf(folder: string, { path, sizeBytes }: FoundFile): Recording {
  const whole = join(folder, path);
  const label = labelOf(basename(path), 'file');
  return { name: path, label, relativePath: path, media: { kind: 'file', path: whole, sizeBytes } };
}

/** Nobody ever sees half of a transcript; a hidden draft that a crash left is overwritten. */
async function writeWhole(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const draft = join(dirname(path), `.${basename(path)}.longhand`);
  await writeFile(draft, content, { flush: true });
  await rename(draft, path);
}
