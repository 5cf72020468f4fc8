import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import {
  type ByteRange,
  type CompleteMultipart,
  InvalidParts,
  NoSuchUpload,
  type StoredPart,
} from '../object-store.ts';
import { multipartEtag } from '../part-etag.ts';
import { expectParts, expectPlan } from '../stored-parts.ts';
import { makeDirectory, receiveDraft, syncDirectory } from './durable-file.ts';
import type { UploadDraft } from './upload-draft.ts';

/**
 * Multipart uploads on the disk. Each is a directory of part files inside the directory of its key. Each part
 * ends with the 16 bytes of its digest, so that one rename replaces bytes and ETag together. Completing moves the
 * multipart to the object's name: no byte is copied, and five gigabytes are committed as fast as one.
 */
const digestBytes = 16;
const manifestName = 'manifest.json';
/** Commits of the same upload at the same moment meet a few times at most. */
const commitAttemptsMax = 20;

export interface Manifest {
  sizeBytes: number;
  partSizeBytes: number;
  /** MD5 of the parts' ETags and their count, as S3 makes it. */
  etag: string;
}

export async function openMultipart(multipartDir: string): Promise<void> {
  await makeDirectory(multipartDir);
}

export function isMultipartOpen(multipartDir: string): Promise<boolean> {
  return exists(multipartDir);
}

export async function storePart(multipartDir: string, partNumber: number, draft: UploadDraft): Promise<void> {
  await draft.moveTo(join(multipartDir, partName(partNumber)), draft.digest).catch((error) => {
    if (isMissing(error))
      throw new NoSuchUpload('the multipart upload ended while the part arrived', { cause: error });
    throw error;
  });
}

export async function multipartParts(multipartDir: string): Promise<StoredPart[]> {
  const names = await readdir(multipartDir).catch((error) => {
    if (isMissing(error)) throw new NoSuchUpload('there is no such multipart upload', { cause: error });
    throw error;
  });
  const numbers = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const parts = await Promise.all(numbers.map((number) => storedPart(multipartDir, number)));
  return parts.filter((part) => part !== undefined);
}

/**
 * Makes an object out of its parts. After a crash in the middle it can be repeated, and of several at once each ends
 * well: whoever finds the parts gone looks for the object.
 */
export async function commitMultipart(
  dirs: { multipartDir: string; objectPath: string; incomingDir: string },
  completion: CompleteMultipart,
): Promise<void> {
  expectPlan(completion);
  for (let attempt = 1; !(await tryCommit(dirs, completion)); attempt += 1) {
    const isGone = !(await exists(dirs.multipartDir)) && !(await exists(sealedDir(dirs.multipartDir)));
    if (isGone || attempt === commitAttemptsMax) {
      await expectCommitted(dirs.objectPath, completion);
      break;
    }
  }
  await rm(dirname(dirs.multipartDir), { recursive: true, force: true });
}

/** False when another commit or an abort moved the parts away under our hands. */
async function tryCommit(
  dirs: { multipartDir: string; objectPath: string; incomingDir: string },
  completion: CompleteMultipart,
): Promise<boolean> {
  try {
    await commit(dirs, completion);
    return true;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return false;
  }
}

async function commit(
  {
    multipartDir,
    objectPath,
    incomingDir,
  }: { multipartDir: string; objectPath: string; incomingDir: string },
  completion: CompleteMultipart,
): Promise<void> {
  const sealed = sealedDir(multipartDir);
  // A wrong list is refused before anything moves; the second look is for a part that was replaced meanwhile.
  await manifestOf((await exists(multipartDir)) ? multipartDir : sealed, completion);
  await rename(multipartDir, sealed).catch(ignoreMissing);
  const manifest = await manifestOf(sealed, completion).catch(async (error) => {
    await rename(sealed, multipartDir).catch(ignoreMissing);
    throw error;
  });
  const draft = await receiveDraft(incomingDir, Buffer.from(JSON.stringify(manifest)));
  await draft.moveTo(join(sealed, manifestName)).finally(() => draft.discard());
  await makeDirectory(dirname(objectPath));
  await rename(sealed, objectPath);
  await syncDirectory(dirname(objectPath));
}

/** Undefined when the path holds no multipart object. */
export async function readManifest(objectPath: string): Promise<Manifest | undefined> {
  const text = await readFile(join(objectPath, manifestName), 'utf8').catch((error) => {
    if (error.code === 'ENOTDIR') return undefined;
    return ignoreMissing(error);
  });
  return text === undefined ? undefined : (JSON.parse(text) as Manifest);
}

export function readParts(objectPath: string, manifest: Manifest, range: ByteRange): Readable {
  async function* bytes() {
    const { partSizeBytes } = manifest;
    const last = Math.floor(range.end / partSizeBytes);
    for (let index = Math.floor(range.start / partSizeBytes); index <= last; index += 1) {
      const offset = index * partSizeBytes;
      yield* createReadStream(join(objectPath, partName(index + 1)), {
        start: Math.max(range.start - offset, 0),
        end: Math.min(range.end - offset, partSizeBytes - 1),
      });
    }
  }
  return Readable.from(bytes(), { objectMode: false });
}

async function manifestOf(dir: string, completion: CompleteMultipart): Promise<Manifest> {
  const { parts, partSizesBytes } = completion;
  const stored: StoredPart[] = [];
  for (const { partNumber } of parts) {
    const part = await storedPart(dir, partNumber);
    if (part) stored.push(part);
  }
  await stat(dir); // A directory that was moved away meanwhile is not the same as a missing part.
  expectParts(stored, completion);
  return {
    sizeBytes: partSizesBytes.reduce((sum, size) => sum + size, 0),
    partSizeBytes: partSizesBytes[0] ?? 0,
    etag: multipartEtag(parts.map((part) => part.etag)),
  };
}

async function storedPart(dir: string, partNumber: number): Promise<StoredPart | undefined> {
  const file = await open(join(dir, partName(partNumber)), 'r').catch(ignoreMissing);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const digest = Buffer.alloc(digestBytes);
    await file.read(digest, 0, digestBytes, Math.max(size - digestBytes, 0));
    return { partNumber, sizeBytes: size - digestBytes, etag: digest.toString('hex') };
  } finally {
    await file.close();
  }
}

async function expectCommitted(objectPath: string, completion: CompleteMultipart): Promise<void> {
  const manifest = await readManifest(objectPath);
  if (!manifest) throw new NoSuchUpload('there is neither a multipart upload nor its object');
  if (manifest.etag !== multipartEtag(completion.parts.map((part) => part.etag))) {
    throw new InvalidParts('the object was completed with other parts');
  }
}

/** Where the parts wait while they are committed: no part can arrive there. */
function sealedDir(multipartDir: string): string {
  return `${multipartDir}.sealed`;
}

function partName(partNumber: number): string {
  return String(partNumber).padStart(5, '0');
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(ignoreMissing)) !== undefined;
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
