import { randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Large writes: one hop to the thread pool for a megabyte instead of one for each 64 KiB of the socket. */
const writeBufferBytes = 1024 * 1024;

/** A file that is being received. It is nobody's object until `moveTo`; `discard` leaves nothing behind. */
export interface DraftFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Adds `tail`, waits until all bytes are on the disk, and takes the name `target`, replacing what was there. */
  moveTo(target: string, tail?: Buffer): Promise<void>;
  discard(): Promise<void>;
}

export async function receiveDraft(incomingDir: string, source: Readable | Buffer): Promise<DraftFile> {
  const path = join(incomingDir, randomUUID());
  const discard = () => rm(path, { force: true });
  try {
    const sizeBytes = await writeAll(path, source);
    const moveTo = async (target: string, tail?: Buffer) => {
      await flush(path, tail);
      await rename(path, target);
      await syncDirectory(dirname(target));
    };
    return { path, sizeBytes, moveTo, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function writeAll(path: string, source: Readable | Buffer): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  if (Buffer.isBuffer(source)) {
    await file.writeFile(source).finally(() => file.close());
    return source.length;
  }
  const sink = file.createWriteStream({ highWaterMark: writeBufferBytes });
  await pipeline(source, sink);
  return sink.bytesWritten;
}

async function flush(path: string, tail: Buffer | undefined): Promise<void> {
  const file = await open(path, 'a');
  try {
    if (tail) await file.appendFile(tail);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** A rename survives a power cut only once its directory is on the disk. */
export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Like mkdir -p; every directory that was missing is on the disk afterwards. */
export async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}
