/** Where transcripts go, decided and tried before the work begins. */
import { access, constants, mkdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, parse, resolve } from 'node:path';
import { acceptedExtensions, extensionOf } from '../../media/accepted-media.ts';
import { CommandFailure } from '../command-failure.ts';
import { UsageError } from '../usage-error.ts';
import type { Recording } from './recordings.ts';
import type { Format, TranscribeOptions } from './transcribe-options.ts';

/** One path for each recording; undefined where transcripts go to standard output. */
export async function plannedFiles(
  recordings: readonly Recording[],
  { output, outputDir }: Pick<TranscribeOptions, 'output' | 'outputDir'>,
  format: Format,
): Promise<string[] | undefined> {
  if (output === undefined && outputDir === undefined) return undefined;
  if (output !== undefined && outputDir !== undefined)
    throw new UsageError('--output and --output-dir exclude each other.');
  const folder = outputDir ?? dirname(resolve(output ?? ''));
  if (outputDir !== undefined) await makeFolder(outputDir);
  await tryFolder(folder);
  const paths =
    output === undefined ? namesFor(recordings, format).map((name) => join(folder, name)) : [resolve(output)];
  for (const path of paths) await tryPath(path, recordings);
  return paths;
}

export async function writeTranscript(path: string, content: string): Promise<void> {
  try {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  } catch (error) {
    throw new CommandFailure(`The transcript could not be written to "${path}": ${reasonOf(error)}.`, {
      cause: error,
    });
  }
}

/** `talk.mp3` becomes `talk.txt`; where two recordings would share a name, `talk.mp3.txt`, then `talk.mp3-2.txt`. */
export function namesFor(recordings: readonly Pick<Recording, 'relativePath'>[], format: Format): string[] {
  const short = recordings.map(({ relativePath }) => withoutExtension(relativePath));
  const counts = Map.groupBy(short, (name) => name.toLowerCase());
  const taken = new Set<string>();
  return recordings.map(({ relativePath }, i) => {
    const name = short[i] ?? relativePath;
    const isShared = (counts.get(name.toLowerCase())?.length ?? 0) > 1;
    const base = isShared ? relativePath : name;
    let unique = base;
    for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${base}-${number}`;
    taken.add(unique.toLowerCase());
    return `${unique}.${format}`;
  });
}

function withoutExtension(path: string): string {
  const { dir, name, base } = parse(path);
  return join(dir, acceptedExtensions.includes(extensionOf(base) ?? '') ? name : base);
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    throw new UsageError(`The folder "${path}" cannot be made: ${reasonOf(error)}.`);
  }
}

async function tryFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found?.isDirectory()) throw new UsageError(`There is no folder "${path}" to write to.`);
  await access(path, constants.W_OK | constants.X_OK).catch((error) => {
    throw new UsageError(`Nothing can be written to the folder "${path}": ${reasonOf(error)}.`);
  });
}

async function tryPath(path: string, recordings: readonly Recording[]): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  if (found.isDirectory())
    throw new UsageError(`"${path}" is a folder; name a file, or use --output-dir for a folder.`);
  await access(path, constants.W_OK).catch((error) => {
    throw new UsageError(`The file "${path}" cannot be written: ${reasonOf(error)}.`);
  });
  for (const { media, name } of recordings) {
    const source = media.kind === 'file' ? await stat(media.path).catch(() => undefined) : undefined;
    if (source?.ino === found.ino && source.dev === found.dev)
      throw new UsageError(
        `The transcript would overwrite the recording "${name}": choose another --output.`,
      );
  }
}

const reasons: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'it is on a read-only disk',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'there is a file of that name',
  ENAMETOOLONG: 'the name is too long',
};

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? message;
}
