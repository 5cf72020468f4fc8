/** Which recordings of a folder have stopped growing. */
import { readdir, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { acceptedExtensions, extensionOf } from '../../media/accepted-media.ts';
import type { Clock } from '../../platform/clock.ts';
import type { FileVersion } from './watch-journal.ts';

export interface FoundFile extends FileVersion {
  /** Below the folder. */
  path: string;
}

interface SeenFile extends FoundFile {
  /** Unchanged since then. */
  sinceMs: number;
}

export interface Scan {
  settled: FoundFile[];
  /** Those that still change, or were just seen for the first time. */
  unsettled: number;
}

export class SettledFiles {
  readonly #folder: string;
  readonly #settleMs: number;
  readonly #clock: Clock;
  #seen = new Map<string, SeenFile>();

  constructor(folder: string, { settleMs, clock }: { settleMs: number; clock: Clock }) {
    this.#folder = folder;
    this.#settleMs = settleMs;
    this.#clock = clock;
  }

  /** Rejects when the folder cannot be read. Hidden files are left alone, and links are not followed. */
  async scan(): Promise<Scan> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile() && acceptedExtensions.includes(extensionOf(entry.name) ?? ''))
      .map((entry) => relative(this.#folder, join(entry.parentPath, entry.name)))
      .filter((path) => !path.split(sep).some((part) => part.startsWith('.')))
      .toSorted();
    const nowMs = this.#clock.now();
    const seen = new Map<string, SeenFile>();
    for (const path of paths) {
      const found = await stat(join(this.#folder, path)).catch(() => undefined);
      if (!found?.isFile() || found.size === 0) continue;
      const before = this.#seen.get(path);
      const isSame = before?.sizeBytes === found.size && before.mtimeMs === found.mtimeMs;
      const sinceMs = isSame ? before.sinceMs : nowMs;
      seen.set(path, { path, sizeBytes: found.size, mtimeMs: found.mtimeMs, sinceMs });
    }
    this.#seen = seen;
    const settled = [...seen.values()].filter(({ sinceMs }) => nowMs - sinceMs >= this.#settleMs);
    return {
      settled: settled.map(({ path, sizeBytes, mtimeMs }) => ({ path, sizeBytes, mtimeMs })),
      unsettled: seen.size - settled.length,
    };
  }
}
