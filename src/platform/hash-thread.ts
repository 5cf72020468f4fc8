import { Worker } from 'node:worker_threads';

export interface HashRequest {
  id: number;
  path: string;
}

export type HashReply = { id: number; digest: Uint8Array } | { id: number; error: string };

interface Pending {
  resolve(digest: Buffer): void;
  reject(error: Error): void;
}

/**
 * MD5 of files on a thread of its own: MD5 runs at about 600 MB/s, and on the main thread every other request would
 * wait behind it. The thread starts with the first file and never keeps the process alive while it is idle.
 */
export class HashThread {
  #worker: Worker | undefined;
  #lastId = 0;
  readonly #pending = new Map<number, Pending>();

  md5(path: string): Promise<Buffer> {
    const worker = this.#running();
    this.#lastId += 1;
    const request: HashRequest = { id: this.#lastId, path };
    return new Promise((resolve, reject) => {
      this.#pending.set(request.id, { resolve, reject });
      worker.ref();
      worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL('./hash-thread-main.ts', import.meta.url));
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
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) this.#worker?.unref();
    if ('digest' in reply) pending?.resolve(Buffer.from(reply.digest));
    else pending?.reject(new Error(reply.error));
  }

  #fail(error: Error): void {
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const pending of waiting) pending.reject(error);
  }
}
