import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';

/** One hop to the thread pool for a megabyte instead of one for each piece of the socket. */
const batchBytes = 1024 * 1024;

/** A file that is being received. It is nobody's object until `moveTo`; `discard` leaves nothing behind. */
export interface DraftFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Begins to bring the bytes to the disk, so that `moveTo` has little left to wait for. */
  flush(): Promise<void>;
  /** Adds `tail`, waits until all bytes are on the disk, and takes the name `target`, replacing what was there. */
  moveTo(target: string, tail?: Buffer): Promise<void>;
  discard(): Promise<void>;
}

export interface ReceiveOptions {
  /**
   * Nobody else holds the chunks of a request's body, so their memory is given back as soon as they are written; and
   * the request stays open when the disk fails, so that the refusal can still be answered.
   */
  isRequestBody?: boolean;
}

export async function receiveDraft(
  incomingDir: string,
  source: Readable | Buffer,
  options: ReceiveOptions = {},
): Promise<DraftFile> {
  const path = join(incomingDir, randomUUID());
  const discard = () => rm(path, { force: true });
  try {
    const sizeBytes = await writeAll(path, source, options);
    const moveTo = async (target: string, tail?: Buffer) => {
      await flush(path, tail);
      await rename(path, target);
      await syncDirectory(dirname(target));
    };
    return { path, sizeBytes, flush: () => flush(path, undefined), moveTo, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function writeAll(path: string, source: Readable | Buffer, options: ReceiveOptions): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    if (!Buffer.isBuffer(source)) return await writeStream(file, source, options);
    await file.writeFile(source);
    return source.length;
  } finally {
    await file.close();
  }
}

/** While one batch is being written the next one is received. */
async function writeStream(
  file: FileHandle,
  source: Readable,
  { isRequestBody = false }: ReceiveOptions,
): Promise<number> {
  let written: Promise<void> = Promise.resolve();
  let writtenBytes = 0;
  let batch: Buffer[] = [];
  let waitingBytes = 0;
  const startWrite = async () => {
    await written;
    const full = batch;
    written = writeBatch(file, full).then(() => {
      if (isRequestBody) for (const chunk of full) release(chunk);
    });
    written.catch(() => {}); // Awaited before the next batch; until then it must not count as unhandled.
    writtenBytes += waitingBytes;
    batch = [];
    waitingBytes = 0;
  };
  try {
    for await (const chunk of source.iterator({ destroyOnReturn: !isRequestBody }) as AsyncIterable<Buffer>) {
      batch.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes >= batchBytes) await startWrite();
    }
    await startWrite();
  } finally {
    await written;
  }
  return writtenBytes;
}

async function writeBatch(file: FileHandle, batch: readonly Buffer[]): Promise<void> {
  let rest = batch;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest);
    rest = unwritten(rest, bytesWritten);
  }
}

function unwritten(batch: readonly Buffer[], bytesWritten: number): Buffer[] {
  let skipped = bytesWritten;
  return batch.flatMap((chunk) => {
    const rest = chunk.subarray(Math.min(skipped, chunk.length));
    skipped -= chunk.length - rest.length;
    return rest.length > 0 ? [rest] : [];
  });
}

/**
 * Gives a chunk's memory back at once. Left to the collector, the memory of a gigabyte of chunks forces thirty full
 * collections: three seconds of processor time, and a pause for every other request each time.
 */
function release(chunk: Buffer): void {
  const { buffer } = chunk;
  const isWhole = chunk.byteOffset === 0 && chunk.length === buffer.byteLength;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
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
