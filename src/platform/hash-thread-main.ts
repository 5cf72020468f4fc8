/** The body of HashThread: reads a file, most often still in the page cache, and answers with its MD5. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import type { HashReply, HashRequest } from './hash-thread.ts';

const block = Buffer.allocUnsafe(1024 * 1024);

parentPort?.on('message', ({ id, path }: HashRequest) => {
  parentPort?.postMessage(replyFor(id, path));
});

function replyFor(id: number, path: string): HashReply {
  try {
    return { id, digest: md5Of(path) };
  } catch (error) {
    return { id, error: (error as Error).message };
  }
}

function md5Of(path: string): Uint8Array {
  const hash = createHash('md5');
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const bytes = readSync(file, block, 0, block.length, null);
      if (bytes === 0) return hash.digest();
      hash.update(block.subarray(0, bytes));
    }
  } finally {
    closeSync(file);
  }
}
