/** What a person named on the command line: files, folders, patterns, links, or standard input. */
import { glob, readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve, sep } from 'node:path';
import { labelOf } from '../../contract/label.ts';
import { type EgressAllow, judgeUrl } from '../../egress/url.ts';
import { acceptedExtensions, extensionOf } from '../../media/accepted-media.ts';
import { labelOfSource } from '../../media/label.ts';
import { UsageError } from '../usage-error.ts';

export type Media =
  | { kind: 'file'; path: string; sizeBytes: number }
  | { kind: 'link'; url: string }
  | { kind: 'stdin' };

export interface Recording {
  /** As the person gave it, or as it was found in a folder. */
  name: string;
  /** The label of the job, and where its transcript lies in a folder of transcripts. */
  label: string;
  relativePath: string;
  media: Media;
}

export interface Unusable {
  name: string;
  reason: string;
}

export interface Recordings {
  recordings: Recording[];
  unusable: Unusable[];
  /** One recording was named, and no folder: its transcript stands alone. */
  isSingle: boolean;
}

export interface LinkRules {
  /** Undefined where a server opens the links: it judges them itself. */
  egressAllow: EgressAllow | undefined;
}

const standardInput = '-';
const patternMatchesMax = 100_000;

export async function recordingsOf(given: readonly string[], rules: LinkRules): Promise<Recordings> {
  if (given.filter((one) => one === standardInput).length > 1)
    throw new UsageError('Standard input can be named once only.');
  const found = await Promise.all(given.map((name) => named(name, rules)));
  const unusable = found.flatMap((one) => ('reason' in one ? [one] : []));
  const all = found.flatMap((one) => ('reason' in one ? [] : one.recordings));
  const recordings = [...new Map(all.map((one) => [identityOf(one), one])).values()];
  const isSingle = given.length === 1 && !found.some((one) => 'isFolder' in one && one.isFolder);
  return { recordings, unusable, isSingle };
}

type Found = Unusable | { recordings: Recording[]; isFolder: boolean };

async function named(name: string, rules: LinkRules): Promise<Found> {
  if (name === standardInput) return { recordings: [fromStandardInput()], isFolder: false };
  if (/^https?:\/\//i.test(name)) return link(name, rules);
  const found = await stat(name).catch(() => undefined);
  if (found?.isDirectory()) return folder(name);
  if (!found && /[*?[{]/.test(name)) return pattern(name);
  if (!found) return { name, reason: `There is no file "${name}".` };
  if (!found.isFile()) return { name, reason: `"${name}" is neither a file nor a folder.` };
  if (found.size === 0) return { name, reason: `The file "${name}" is empty.` };
  return { recordings: [file(name, name, basename(name), found.size)], isFolder: false };
}

function fromStandardInput(): Recording {
  if (process.stdin.isTTY)
    throw new UsageError('Standard input is the keyboard here: pipe a recording into the command.');
  const label = 'standard-input';
  return { name: 'standard input', label, relativePath: label, media: { kind: 'stdin' } };
}

function link(url: string, { egressAllow }: LinkRules): Found {
  const verdict = egressAllow && judgeUrl(url, { allow: egressAllow });
  if (verdict && !verdict.ok) return { name: url, reason: `This link cannot be opened: ${verdict.reason}.` };
  const label = labelOf(labelOfSource(url), 'link');
  const recording: Recording = { name: url, label, relativePath: label, media: { kind: 'link', url } };
  return { recordings: [recording], isFolder: false };
}

/** Where no shell has filled in a pattern: in quotes, or in a list of sources. */
async function pattern(name: string): Promise<Found> {
  const paths: string[] = [];
  for await (const path of glob(name)) {
    if (acceptedExtensions.includes(extensionOf(path) ?? '')) paths.push(path);
    if (paths.length > patternMatchesMax) return { name, reason: `"${name}" matches too many files.` };
  }
  const recordings = await Promise.all(
    paths.toSorted().map(async (path) => {
      const found = await stat(path).catch(() => undefined);
      return found?.isFile() && found.size > 0 ? [file(path, path, basename(path), found.size)] : [];
    }),
  );
  if (recordings.flat().length === 0) return { name, reason: `No recording matches "${name}".` };
  return { recordings: recordings.flat(), isFolder: true };
}

/** Every audio and video file in it and below, by name; hidden ones are left alone, and links are not followed. */
async function folder(name: string): Promise<Found> {
  const entries = await readdir(name, { recursive: true, withFileTypes: true }).catch(
    (error: Error) => error,
  );
  if (entries instanceof Error) return { name, reason: `The folder "${name}" cannot be read.` };
  const paths = entries
    .filter((entry) => entry.isFile() && acceptedExtensions.includes(extensionOf(entry.name) ?? ''))
    .map((entry) => relative(name, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(sep).some((part) => part.startsWith('.')))
    .toSorted();
  const recordings = await Promise.all(
    paths.map(async (path) =>
      file(join(name, path), join(name, path), path, (await stat(join(name, path))).size),
    ),
  );
  const usable = recordings.filter(({ media }) => media.kind === 'file' && media.sizeBytes > 0);
  if (usable.length === 0) return { name, reason: `There is no recording in the folder "${name}".` };
  return { recordings: usable, isFolder: true };
}

function file(name: string, path: string, relativePath: string, sizeBytes: number): Recording {
  const label = labelOf(basename(path), 'file');
  return { name, label, relativePath, media: { kind: 'file', path: resolve(path), sizeBytes } };
}

function identityOf({ media, name }: Recording): string {
  return media.kind === 'file' ? media.path : name;
}
