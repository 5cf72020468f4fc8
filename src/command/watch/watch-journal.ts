/** What `longhand watch` knows of a folder: which recordings are done, begun or failed. Survives restarts and crashes. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { CommandFailure } from '../command-failure.ts';

/** Size and time of change of a recording: with others it is another one. */
export interface FileVersion {
  sizeBytes: number;
  mtimeMs: number;
}

const entrySchema = z.object({
  sizeBytes: z.number(),
  mtimeMs: z.number(),
  /** Absolute. */
  output: z.string(),
  state: z.enum(['begun', 'done', 'failed']),
  /** Of the job, so that a later run goes on with it instead of beginning anew. */
  jobId: z.string(),
  /** There was a transcript of ours when this was begun: that it is there says nothing. */
  replaces: z.boolean(),
  /** How often it failed by something that may pass. */
  faults: z.number(),
  error: z.string().nullable(),
});
const journalSchema = z.object({ files: z.record(z.string(), entrySchema) });

export type JournalEntry = z.infer<typeof entrySchema>;

export class WatchJournal {
  readonly #path: string;
  readonly #entries: Map<string, JournalEntry>;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, entries: Map<string, JournalEntry>) {
    this.#path = path;
    this.#entries = entries;
  }

  /** `identity`: what makes the results other ones, such as folder and format. */
  static async open(stateDir: string, identity: readonly string[]): Promise<WatchJournal> {
    const path = journalPath(stateDir, identity);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text === undefined) return new WatchJournal(path, new Map());
    const parsed = journalSchema.safeParse(jsonOf(text));
    // Beginning anew would transcribe everything again.
    if (!parsed.success)
      throw new CommandFailure(`What is known of this folder cannot be read: repair or delete "${path}".`);
    return new WatchJournal(path, new Map(Object.entries(parsed.data.files)));
  }

  get(path: string): JournalEntry | undefined {
    return this.#entries.get(path);
  }

  entries(): IterableIterator<[string, JournalEntry]> {
    return this.#entries.entries();
  }

  begun(path: string, version: FileVersion, output: string): JournalEntry {
    const known = this.#entries.get(path);
    const isSame = known !== undefined && isVersion(known, version);
    return {
      ...version,
      output,
      state: 'begun',
      jobId: isSame ? known.jobId : randomUUID(),
      replaces: isSame ? known.replaces : known?.state === 'done',
      faults: isSame ? known.faults : 0,
      error: null,
    };
  }

  /** Resolves when it is on the disk. */
  async set(path: string, entry: JournalEntry): Promise<void> {
    this.#entries.set(path, entry);
    await this.#save();
  }

  async forget(paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    for (const path of paths) this.#entries.delete(path);
    await this.#save();
  }

  /** One after the other; each writes all that is known by then. */
  #save(): Promise<void> {
    this.#writing = this.#writing
      .catch(() => {}) // Whoever waited for that one has heard of it.
      .then(async () => {
        const draft = `${this.#path}.${randomBytes(6).toString('hex')}`;
        const text = JSON.stringify({ files: Object.fromEntries(this.#entries) });
        await writeFile(draft, text, { mode: 0o600, flush: true });
        await rename(draft, this.#path);
      });
    return this.#writing;
  }
}

export function journalPath(stateDir: string, identity: readonly string[]): string {
  const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return join(stateDir, 'watch', `${name}.json`);
}

export function isVersion(entry: FileVersion, { sizeBytes, mtimeMs }: FileVersion): boolean {
  return entry.sizeBytes === sizeBytes && entry.mtimeMs === mtimeMs;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
