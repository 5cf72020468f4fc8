import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type DraftFile, renameDurably } from './durable-file.ts';
import type { UploadHash, UploadThreads, UploadWriter } from './upload-threads.ts';

export interface UploadDraft extends DraftFile {
  /** With `tail` at its end. */
  moveTo(target: string, tail?: Buffer): Promise<void>;
  readonly sizeBytes: number;
  /** The first 16 bytes of it, as many as an MD5 has. */
  readonly digest: Buffer;
}

/** Given to the thread at once. One batch is written while the next one fills: twice this is an upload's memory. */
const batchBytes = 256 * 1024;
/** As long as an MD5, whatever the hash: clients may know an ETag by its length. */
const digestBytes = 16;

/**
 * Receives the body of a request into a draft. The bytes are written and hashed while they arrive. The request stays
 * open when that fails, so that the refusal can still be answered.
 */
export async function receiveUpload(
  {
    incomingDir,
    uploadThreads,
    onWritten,
  }: { incomingDir: string; uploadThreads: UploadThreads; onWritten: (bytes: number) => void },
  { body, hash }: { body: Readable; hash: UploadHash },
): Promise<UploadDraft> {
  const path = join(incomingDir, randomUUID());
  const file = await open(path, 'wx', 0o600);
  const discard = async () => {
    await file.close();
    await rm(path, { force: true });
  };
  try {
    const received = await receive(path, file, { uploadThreads, onWritten }, { body, hash });
    const { sizeBytes, rest } = received;
    const moveTo = async (target: string, tail = Buffer.alloc(0)) => {
      await file.write(Buffer.concat([rest, tail]), { position: sizeBytes - rest.length });
      await file.datasync();
      await Promise.all([renameDurably(path, target), file.close()]);
    };
    return { sizeBytes, digest: received.digest.subarray(0, digestBytes), moveTo, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function receive(
  path: string,
  file: FileHandle,
  { uploadThreads, onWritten }: { uploadThreads: UploadThreads; onWritten: (bytes: number) => void },
  { body, hash }: { body: Readable; hash: UploadHash },
) {
  const unbuffered = await openUnbuffered(path);
  const writer = uploadThreads.begin({ fd: file.fd, unbufferedFd: unbuffered?.fd }, hash);
  try {
    const sizeBytes = await writeAll(body, writer, onWritten);
    return { sizeBytes, ...(await writer.end()) };
  } finally {
    // The thread answers in order, so after this it does not use the file any more.
    await Promise.allSettled([writer.end()]);
    await unbuffered?.close();
  }
}

/**
 * Through the page cache the kernel copies each byte once more, writes it later, and the answer waits for that.
 * Undefined where the system cannot do it: other than Linux, some file systems.
 */
async function openUnbuffered(path: string): Promise<FileHandle | undefined> {
  if (constants.O_DIRECT === undefined) return undefined;
  return open(path, constants.O_WRONLY | constants.O_DIRECT).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EINVAL') throw error;
    return undefined;
  });
}

async function writeAll(
  body: Readable,
  writer: UploadWriter,
  onWritten: (bytes: number) => void,
): Promise<number> {
  let batch: Buffer[] = [];
  let waitingBytes = 0;
  let sizeBytes = 0;
  let sentBytes = 0;
  let written = Promise.resolve();
  const send = async () => {
    await written;
    onWritten(sentBytes);
    sentBytes = sizeBytes;
    written = writer.write(batch);
    written.catch(() => {}); // Told by the next `await written`.
    batch = [];
    waitingBytes = 0;
  };
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    batch.push(chunk);
    waitingBytes += chunk.length;
    sizeBytes += chunk.length;
    if (waitingBytes >= batchBytes) await send();
  }
  await send();
  await written;
  return sizeBytes;
}
