import { Worker } from 'node:worker_threads';
import { blockBytes } from './md5-lanes.ts';
import { type SharedBlock, SharedBlocks, type SharedMemory } from './shared-blocks.ts';

export interface HashThreadData {
  memory: SharedMemory;
}

/** The beginning of a stream, bytes of it that are in the shared memory, or its end. */
export type HashRequest =
  | { stream: number; isBegin: true }
  | { stream: number; offset: number; bytes: number }
  | { stream: number; isEnd: true };

/** A block that has been read, or the digest of a stream that ended. */
export type HashReply = { stream: number; offset: number } | { stream: number; digest: Uint8Array };

export interface HashStream {
  /** Settles when the block may be used for something else. Only the last one may be other than a multiple of 64. */
  append(block: SharedBlock, bytes: number): Promise<void>;
  /** Ends the stream. */
  digest(): Promise<Buffer>;
}

interface Pending {
  resolve(digest: Buffer): void;
  reject(error: Error): void;
}

/**
 * MD5 of streams on a thread of its own: on the main thread every other request would wait behind it. The thread
 * starts with the first stream and never keeps the process alive while it is idle.
 */
export class HashThread {
  readonly blocks = new SharedBlocks();
  #worker: Worker | undefined;
  #lastStream = 0;
  readonly #pending = new Map<string, Pending>();

  begin(): HashStream {
    const worker = this.#running();
    this.#lastStream += 1;
    const stream = this.#lastStream;
    let isWhole = true;
    worker.postMessage({ stream, isBegin: true } satisfies HashRequest);
    return {
      append: async ({ offset }, bytes) => {
        if (!isWhole) throw new Error('only the last bytes of a stream may be no multiple of 64');
        isWhole = bytes % blockBytes === 0;
        await this.#ask(worker, { stream, offset, bytes }, `${stream} ${offset}`);
      },
      digest: () => this.#ask(worker, { stream, isEnd: true }, `${stream}`),
    };
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #ask(worker: Worker, request: HashRequest, id: string): Promise<Buffer> {
    if (worker !== this.#worker) return Promise.reject(new Error('the hash thread ended'));
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const workerData: HashThreadData = { memory: this.blocks.memory };
    const worker = new Worker(new URL('./hash-thread-main.ts', import.meta.url), { workerData });
    worker.on('message', (reply: HashReply) => this.#settle(reply));
    worker.on('error', (error: Error) => this.#fail(error));
    worker.on('exit', () => {
      this.#worker = undefined;
      this.#fail(new Error('the hash thread ended'));
    });
    this.#worker = worker;
    return worker;
  }

  #settle(reply: HashReply): void {
    const id = 'offset' in reply ? `${reply.stream} ${reply.offset}` : `${reply.stream}`;
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#worker?.unref();
    pending?.resolve('digest' in reply ? Buffer.from(reply.digest) : Buffer.alloc(0));
  }

  #fail(error: Error): void {
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of waiting) pending.reject(error);
  }
}
