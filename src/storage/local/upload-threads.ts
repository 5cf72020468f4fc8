import { Worker } from 'node:worker_threads';
import { compileCacheEnvironment } from '../../platform/process/compile-cache.ts';

/** The same file opened twice: as usual, and for writes that go straight to the disk where the system can do that. */
export interface UploadFile {
  fd: number;
  unbufferedFd: number | undefined;
}

/** `sha1` where nobody asks for an MD5: with the processor's own instructions it takes a quarter of the time. */
export type UploadHash = 'md5' | 'sha1';

export type ThreadRequest = { id: number; upload: number; hash: UploadHash } & (
  | { kind: 'write'; file: UploadFile; chunks: Uint8Array<ArrayBuffer>[] }
  | { kind: 'end' }
);

export interface ThreadReply {
  id: number;
  digest?: Uint8Array;
  rest?: Uint8Array;
  error?: { code: string | undefined; message: string };
}

/** One upload on its thread. */
export interface UploadWriter {
  /** Appends to the file. The chunks are detached. Once settled, the thread does not use the file any more. */
  write(chunks: readonly Buffer[]): Promise<void>;
  /** Ends the upload, however it went; gives the digest of all bytes, and the last of them, which are still to be written. */
  end(): Promise<{ digest: Buffer; rest: Buffer }>;
}

/** Two hash as fast as a gigabit network brings bytes eight times over; more would take cores from other requests. */
const threadCount = 2;

/** A thread has few objects at a time; with the usual limits its heap grows to 16 MiB of garbage first. */
const resourceLimits = { maxYoungGenerationSizeMb: 2 };

/** Uploads are given to the thread that has the fewest. */
export class UploadThreads {
  readonly #threads = Array.from({ length: threadCount }, () => new UploadThread());

  begin(file: UploadFile, hash: UploadHash): UploadWriter {
    return this.#threads.reduce((a, b) => (b.uploads < a.uploads ? b : a)).begin(file, hash);
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.close()));
  }
}

/**
 * Writes uploads to their files and hashes them: on the main thread every other request would wait behind the hash.
 * The thread starts with the first upload and never keeps the process alive while it is idle.
 */
class UploadThread {
  uploads = 0;
  #worker: Worker | undefined;
  #lastId = 0;
  readonly #pending = new Map<number, PromiseWithResolvers<ThreadReply>>();

  begin(file: UploadFile, hash: UploadHash): UploadWriter {
    const worker = this.#running();
    const upload = this.#nextId();
    this.uploads += 1;
    let ended: Promise<{ digest: Buffer; rest: Buffer }> | undefined;
    return {
      write: async (chunks) => {
        const detached = chunks.map(detachable);
        const request = { id: this.#nextId(), kind: 'write' as const, upload, hash, file, chunks: detached };
        await this.#ask(
          worker,
          request,
          detached.map(({ buffer }) => buffer),
        );
      },
      end: () => {
        ended ??= this.#end(worker, upload, hash);
        return ended;
      },
    };
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #end(worker: Worker, upload: number, hash: UploadHash): Promise<{ digest: Buffer; rest: Buffer }> {
    this.uploads -= 1;
    const { digest = [], rest = [] } = await this.#ask(worker, {
      id: this.#nextId(),
      kind: 'end',
      upload,
      hash,
    });
    return { digest: Buffer.from(digest), rest: Buffer.from(rest) };
  }

  #nextId(): number {
    this.#lastId += 1;
    return this.#lastId;
  }

  #ask(worker: Worker, request: ThreadRequest, transferred: ArrayBuffer[] = []): Promise<ThreadReply> {
    if (worker !== this.#worker) return Promise.reject(new Error('the upload thread ended'));
    const pending = Promise.withResolvers<ThreadReply>();
    this.#pending.set(request.id, pending);
    worker.ref();
    worker.postMessage(request, transferred);
    return pending.promise;
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./upload-thread-main.ts', import.meta.url), {
      resourceLimits,
      env: compileCacheEnvironment,
    });
    worker.on('message', (reply: ThreadReply) => this.#settle(reply));
    worker.on('error', (error: Error) => this.#fail(error));
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#fail(new Error('the upload thread ended'));
    });
    this.#worker = worker;
    return worker;
  }

  #settle(reply: ThreadReply): void {
    const { id, error } = reply;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker?.unref();
    if (error) pending?.reject(Object.assign(new Error(error.message), { code: error.code }));
    else pending?.resolve(reply);
  }

  #fail(error: Error): void {
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of waiting) reject(error);
  }
}

/** A chunk that is part of a larger buffer cannot be given away: others may use the rest. */
function detachable(chunk: Buffer): Uint8Array<ArrayBuffer> {
  const { buffer } = chunk;
  const isWhole = chunk.byteOffset === 0 && chunk.length === buffer.byteLength;
  return isWhole && buffer instanceof ArrayBuffer ? new Uint8Array(buffer) : new Uint8Array(chunk);
}
