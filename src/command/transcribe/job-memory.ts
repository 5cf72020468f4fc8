/** What is known of unfinished and finished work on a server, so that the same command goes on instead of beginning anew. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateTranscription, UploadState } from '#longhand-client';
import type { Clock } from '../../platform/clock.ts';

export type RememberedJob =
  /** An upload in parts has begun. */
  | { step: 'uploading'; upload: UploadState }
  /** All is there to create the job; repeated under the same key it is still one job. */
  | { step: 'ready'; request: CreateTranscription; idempotencyKey: string }
  | { step: 'created'; id: string };

const keptDays = 30;
/** What is behind a link may be something else tomorrow; the service's own idempotency keys live as long. */
export const linkKeptMs = 24 * 3_600_000;

export class JobMemory {
  readonly #directory: string;
  readonly #clock: Clock;

  constructor(stateDir: string, clock: Clock) {
    this.#directory = join(stateDir, 'jobs');
    this.#clock = clock;
  }

  /** Makes the directory and forgets what is old. */
  async open(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const oldestMs = this.#clock.now() - keptDays * 86_400_000;
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name);
      const found = await stat(path).catch(() => undefined);
      if (found && found.mtimeMs < oldestMs) await rm(path, { force: true });
    }
  }

  /** `maxAgeMs`: what is older is as good as unknown. */
  async recall(identity: readonly unknown[], maxAgeMs?: number): Promise<RememberedJob | undefined> {
    const path = this.#path(identity);
    const found = await stat(path).catch(() => undefined);
    if (!found || (maxAgeMs !== undefined && found.mtimeMs < this.#clock.now() - maxAgeMs)) return undefined;
    try {
      return JSON.parse(await readFile(path, 'utf8')) as RememberedJob;
    } catch {
      return undefined;
    }
  }

  async remember(identity: readonly unknown[], job: RememberedJob): Promise<void> {
    const path = this.#path(identity);
    const draft = `${path}.${randomBytes(6).toString('hex')}`;
    await writeFile(draft, JSON.stringify(job), { mode: 0o600, flush: true });
    await rename(draft, path);
  }

  async forget(identity: readonly unknown[]): Promise<void> {
    await rm(this.#path(identity), { force: true });
  }

  #path(identity: readonly unknown[]): string {
    const name = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
    return join(this.#directory, `${name}.json`);
  }
}
