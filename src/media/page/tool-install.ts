/**
 * Brings a program that the service uses from its project's own release, checked by SHA-256. Only an operator's
 * command does this: the service never fetches or renews a program by itself.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Egress } from '../../egress/egress.ts';
import { EgressFailure } from '../../egress/failure.ts';
import type { Clock } from '../../platform/clock.ts';

export interface ToolInstallOptions {
  egress: Egress;
  clock: Clock;
  /** `<data>/tools`. */
  directory: string;
  /** A release such as 2026.10.26 instead of the newest. */
  release?: string | undefined;
  /** Another place that has the files of the release: a mirror. */
  from?: string | undefined;
  /** The hash that the program must have, whatever the list of the release says. */
  sha256?: string | undefined;
  /** Starts the program before it takes the place of an older one; what it throws stops the installation. */
  tryProgram(path: string): Promise<{ version: string }>;
}

const noteSchema = z.object({
  version: z.string(),
  sha256: z.string(),
  from: z.string(),
  installedAt: z.string(),
});
/** What was installed when, and from where. */
export type ToolNote = z.infer<typeof noteSchema>;

/** Its words are for the operator. */
export class ToolInstallError extends Error {}

/**
 * The file for every Unix: 3 MB, needs Python 3.10. The ones that bring a Python of their own unpack 35 MB at each
 * start, and there is one for each processor.
 */
const asset = 'yt-dlp';
const sums = 'SHA2-256SUMS';
const releases = 'https://github.com/yt-dlp/yt-dlp/releases';
const assetBytesMax = 64 * 1024 * 1024;
const sumsBytesMax = 65_536;
const limits = {
  connectMs: 15_000,
  totalMs: 600_000,
  idleMs: 30_000,
  headerBytesMax: 65_536,
  redirectsMax: 5,
};

/** Installs yt-dlp. Throws a ToolInstallError with a sentence; the file appears only when its hash is right and it starts. */
export async function installYtdlp(options: ToolInstallOptions): Promise<ToolNote & { path: string }> {
  const base = baseOf(options);
  const list = (await fetched(options.egress, `${base}/${sums}`, sumsBytesMax)).toString('utf8');
  const listed = sumOf(list, asset);
  const wanted = options.sha256?.toLowerCase() ?? listed;
  if (!wanted) throw new ToolInstallError(`${base}/${sums} does not name ${asset}.`);
  const bytes = await fetched(options.egress, `${base}/${asset}`, assetBytesMax);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  if (sha256 !== wanted)
    throw new ToolInstallError(
      `${base}/${asset} has the SHA-256 ${sha256} and not ${wanted}: it was not installed. If a release came out this minute, run it again.`,
    );
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const partial = join(options.directory, `.${asset}.${randomUUID()}`);
  try {
    await writeWhole(partial, bytes);
    const { version } = await options.tryProgram(partial);
    const note: ToolNote = { version, sha256, from: base, installedAt: options.clock.date().toISOString() };
    const path = join(options.directory, asset);
    await rename(partial, path);
    await writeFile(`${path}.json`, `${JSON.stringify(note, null, 2)}\n`, { mode: 0o600 });
    return { ...note, path };
  } finally {
    await rm(partial, { force: true });
  }
}

/** Undefined when it was not installed by us. */
export async function installedYtdlp(directory: string): Promise<ToolNote | undefined> {
  const path = join(directory, asset);
  try {
    const note = noteSchema.parse(JSON.parse(await readFile(`${path}.json`, 'utf8')));
    const sha256 = createHash('sha256')
      .update(await readFile(path))
      .digest('hex');
    return sha256 === note.sha256 ? note : undefined;
  } catch {
    return undefined;
  }
}

function baseOf({ from, release }: ToolInstallOptions): string {
  if (from !== undefined) return from.replace(/\/+$/, '');
  return release === undefined ? `${releases}/latest/download` : `${releases}/download/${release}`;
}

/** Lines of `sha256sum`: the hash, spaces, perhaps an asterisk, the name. */
function sumOf(list: string, name: string): string | undefined {
  for (const line of list.split('\n')) {
    const [, hash, file] = /^([0-9a-f]{64})\s+\*?(\S+)\s*$/i.exec(line) ?? [];
    if (file === name) return hash?.toLowerCase();
  }
  return undefined;
}

async function fetched(egress: Egress, url: string, bytesMax: number): Promise<Buffer> {
  try {
    const answer = await egress.request({ url, limits: { ...limits, bytesMax }, httpsOnly: true });
    if (answer.status === 200) return await answer.bytes();
    answer.close();
    throw new ToolInstallError(`${url} cannot be fetched: the server answered ${answer.status}.`);
  } catch (error) {
    if (!(error instanceof EgressFailure)) throw error;
    throw new ToolInstallError(
      `${url} cannot be fetched: ${error.reason}. Check the connection and run it again.`,
      {
        cause: error,
      },
    );
  }
}

async function writeWhole(path: string, bytes: Buffer): Promise<void> {
  const handle = await open(path, 'wx', 0o755);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
