/** The body of an upload thread: writes the chunks of uploads to their files and hashes them. */
import { createHash, type Hash } from 'node:crypto';
import { writeSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { writeCompiledCode } from '../../platform/process/compile-cache.ts';
import type { ThreadReply, ThreadRequest, UploadFile, UploadHash } from './upload-threads.ts';

/** WebAssembly's memory begins at a page, as unbuffered writes ask for; a Buffer's does not. */
declare const WebAssembly: {
  Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer };
};

/** Answers to other requests go before the hash of an upload. On Linux this holds for the calling thread alone. */
const niceness = 5;
/** What the file system and the disk ask of unbuffered writes: 4 KiB is enough for every disk that is sold. */
const alignmentBytes = 4096;
/** Half a mebibyte, through which all bytes go to the disk. */
const buffer = Buffer.from(new WebAssembly.Memory({ initial: 8 }).buffer);

interface Upload {
  hash: Hash;
  position: number;
  /** Less than the alignment: written with the next chunks, or by the main thread at the end. */
  rest: Buffer;
}

const uploads = new Map<number, Upload>();

if (process.platform === 'linux') setPriority(Math.min(getPriority() + niceness, 19));

parentPort?.on('message', (request: ThreadRequest) => parentPort?.postMessage(replyTo(request)));

// The next thread takes this file as compiled: to strip its types, Node needs 10 MiB in each thread.
writeCompiledCode();

function replyTo(request: ThreadRequest): ThreadReply {
  const { id } = request;
  const upload = uploads.get(request.upload) ?? begin(request);
  if (request.kind === 'end') {
    uploads.delete(request.upload);
    return { id, digest: upload.hash.digest(), rest: upload.rest };
  }
  try {
    take(upload, request);
    return { id };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { id, error: { code, message } };
  }
}

function begin({ upload: id, hash }: { upload: number; hash: UploadHash }): Upload {
  const upload = { hash: createHash(hash), position: 0, rest: Buffer.alloc(0) };
  uploads.set(id, upload);
  return upload;
}

function take(
  upload: Upload,
  { file, chunks }: { file: UploadFile; chunks: readonly Uint8Array<ArrayBuffer>[] },
): void {
  let filled = upload.rest.copy(buffer);
  for (const chunk of chunks) {
    upload.hash.update(chunk);
    for (let taken = 0; taken < chunk.length; ) {
      if (filled === buffer.length) filled = writeBuffer(upload, file, filled);
      const bytes = Math.min(chunk.length - taken, buffer.length - filled);
      buffer.set(chunk.subarray(taken, taken + bytes), filled);
      taken += bytes;
      filled += bytes;
    }
    // Left to the collector, the memory of a gigabyte of chunks forces thirty full collections.
    chunk.buffer.transfer(0);
  }
  const restBytes = filled % alignmentBytes;
  writeBuffer(upload, file, filled - restBytes);
  upload.rest = Buffer.from(buffer.subarray(filled - restBytes, filled));
}

/** Writes the beginning of the buffer; it is empty afterwards. */
function writeBuffer(upload: Upload, file: UploadFile, bytes: number): 0 {
  for (let written = 0; written < bytes; ) {
    written += writeSome(file, written, bytes - written, upload.position + written);
  }
  upload.position += bytes;
  return 0;
}

function writeSome({ fd, unbufferedFd }: UploadFile, start: number, bytes: number, position: number): number {
  try {
    return writeSync(unbufferedFd ?? fd, buffer, start, bytes, position);
  } catch (error) {
    // The system's way to say that this file cannot be written unbuffered.
    if (unbufferedFd === undefined || (error as NodeJS.ErrnoException).code !== 'EINVAL') throw error;
    return writeSync(fd, buffer, start, bytes, position);
  }
}
