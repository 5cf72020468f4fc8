import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { HashStream, HashThread } from '../platform/hash-thread.ts';
import { type SharedBlock, type SharedBlocks, sharedBlockBytes } from '../platform/shared-blocks.ts';
import { type DraftFile, renameDurably } from './durable-file.ts';
import { UnbufferedFile } from './unbuffered-file.ts';

export interface UploadDraft extends DraftFile {
  /** With `tail` at its end. */
  moveTo(target: string, tail?: Buffer): Promise<void>;
  readonly sizeBytes: number;
  readonly md5: Buffer;
}

/** One is filled and one written while as many wait for the hash as its thread likes to have (see isWorthwhile). */
const blocksInFlightMax = 4;

/**
 * Receives the body of a request into a draft. The bytes are written and hashed while they arrive, a block at a time.
 * The request stays open when that fails, so that the refusal can still be answered.
 */
export async function receiveUpload(
  { incomingDir, hashThread }: { incomingDir: string; hashThread: HashThread },
  body: Readable,
): Promise<UploadDraft> {
  const path = join(incomingDir, randomUUID());
  const file = await UnbufferedFile.create(path);
  const discard = async () => {
    await file.close();
    await rm(path, { force: true });
  };
  const moveTo = async (target: string, tail?: Buffer) => {
    if (tail) await file.append(tail);
    await file.sync();
    await Promise.all([renameDurably(path, target), file.close()]);
  };
  try {
    return { ...(await receive(file, body, hashThread)), moveTo, discard };
  } catch (error) {
    await discard();
    throw error;
  }
}

async function receive(file: UnbufferedFile, body: Readable, hashThread: HashThread) {
  const intake = new Intake(file, hashThread.blocks, hashThread.begin());
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (intake.add(chunk)) await intake.sendBlock();
    }
    return await intake.end();
  } finally {
    await intake.settled();
  }
}

/**
 * What has arrived waits in its own chunks until it fills a block; only then a block is taken. So a client that sends
 * slowly, or stops, holds no more than a block's worth of memory of its own, and nobody else's place.
 */
class Intake {
  readonly #file: UnbufferedFile;
  readonly #blocks: SharedBlocks;
  readonly #hash: HashStream;
  readonly #chunks: Buffer[] = [];
  /** Bytes of the first chunk that are in a block already. */
  #taken = 0;
  #waitingBytes = 0;
  #sizeBytes = 0;
  #written: Promise<void> = Promise.resolve();
  readonly #inFlight: Promise<void>[] = [];
  #md5: Promise<Buffer> | undefined;

  constructor(file: UnbufferedFile, blocks: SharedBlocks, hash: HashStream) {
    this.#file = file;
    this.#blocks = blocks;
    this.#hash = hash;
  }

  /** True when there is enough for a block. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    return this.#waitingBytes >= sharedBlockBytes;
  }

  async sendBlock(): Promise<void> {
    if (this.#inFlight.length >= blocksInFlightMax) await this.#inFlight.shift();
    const block = await this.#blocks.take();
    const bytes = this.#fill(block);
    this.#sizeBytes += bytes;
    const written = this.#written.then(() => this.#file.append(block.bytes.subarray(0, bytes)));
    this.#written = written;
    const done = bothDone(written, this.#hash.append(block, bytes)).finally(() => this.#blocks.give(block));
    done.catch(() => {}); // Awaited in its turn; until then it must not count as unhandled.
    this.#inFlight.push(done);
  }

  async end(): Promise<{ sizeBytes: number; md5: Buffer }> {
    while (this.#waitingBytes > 0) await this.sendBlock();
    const [md5] = await Promise.all([this.#digest(), ...this.#inFlight]);
    return { sizeBytes: this.#sizeBytes, md5 };
  }

  /** Nothing of this upload is in use any more, however it ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#inFlight, this.#digest()]);
  }

  #digest(): Promise<Buffer> {
    this.#md5 ??= this.#hash.digest();
    return this.#md5;
  }

  #fill(block: SharedBlock): number {
    let filled = 0;
    for (let chunk = this.#chunks[0]; chunk && filled < sharedBlockBytes; chunk = this.#chunks[0]) {
      const bytes = chunk.copy(block.bytes, filled, this.#taken);
      filled += bytes;
      this.#taken += bytes;
      if (this.#taken < chunk.length) break;
      release(chunk);
      this.#chunks.shift();
      this.#taken = 0;
    }
    this.#waitingBytes -= filled;
    return filled;
  }
}

async function bothDone(...works: Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

/**
 * Gives a chunk's memory back at once; nobody else holds the chunks of a request's body. Left to the collector, the
 * memory of a gigabyte of chunks forces thirty full collections: three seconds of processor time, and a pause for
 * every other request each time.
 */
function release(chunk: Buffer): void {
  const { buffer } = chunk;
  const isWhole = chunk.byteOffset === 0 && chunk.length === buffer.byteLength;
  if (isWhole && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
