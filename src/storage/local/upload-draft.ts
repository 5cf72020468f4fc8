import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { finished, type Readable } from 'node:stream';
import { type DraftFile, renameDurably } from './durable-file.ts';
import type { HashStream, HashThread } from './hash-thread.ts';
import { type SharedBlock, type SharedBlocks, sharedBlockBytes } from './shared-blocks.ts';
import { UnbufferedFile } from './unbuffered-file.ts';

export interface UploadDraft extends DraftFile {
  /** With `tail` at its end. */
  moveTo(target: string, tail?: Buffer): Promise<void>;
  readonly sizeBytes: number;
  readonly md5: Buffer;
}

/** Beside the one that is filled: as many as may wait for the hash before it goes on without the others (see isWorthwhile). */
const blocksInFlightMax = 2;

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
    await takeAll(body, intake);
    return await intake.end();
  } finally {
    await intake.settled();
  }
}

/**
 * After as much from one client the others have their turn. Left alone, the socket is read 32 times in a row, 2 MiB,
 * and with four uploads the p99 of other answers was 68 ms instead of 11 to 26.
 */
const turnBytesMax = 128 * 1024;

/** By events: there are 16,000 chunks in a gigabyte, and an iterator makes promises for each. */
function takeAll(body: Readable, intake: Intake): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    let turnBytes = 0;
    const take = (chunk: Buffer) => {
      turnBytes += chunk.length;
      const hasRoom = intake.add(chunk);
      if (hasRoom && turnBytes < turnBytesMax) return;
      turnBytes = 0;
      body.pause();
      if (hasRoom) setImmediate(() => body.resume());
      else intake.makeRoom().then(() => body.resume(), fail);
    };
    const fail = (error: Error) => {
      body.off('data', take);
      reject(error);
    };
    finished(body, { writable: false }, (error) => (error ? fail(error) : resolve()));
    body.on('data', take);
  });
}

/**
 * Copies what arrives into blocks. Without one to spare it waits in its own chunks until it would fill a block; only
 * then this upload queues for one. So clients that send slowly, or stop, never hold more than half of the blocks.
 */
class Intake {
  readonly #file: UnbufferedFile;
  readonly #blocks: SharedBlocks;
  readonly #hash: HashStream;
  readonly #chunks: Buffer[] = [];
  #waitingBytes = 0;
  /** Bytes of the first chunk that are in a block already. */
  #taken = 0;
  #block: SharedBlock | undefined;
  #filled = 0;
  #sizeBytes = 0;
  #written: Promise<void> = Promise.resolve();
  readonly #inFlight = new Set<Promise<void>>();
  #room: Promise<void> = Promise.resolve();
  #md5: Promise<Buffer> | undefined;

  constructor(file: UnbufferedFile, blocks: SharedBlocks, hash: HashStream) {
    this.#file = file;
    this.#blocks = blocks;
    this.#hash = hash;
  }

  /** False when no more may come before `makeRoom`. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#waitingBytes += chunk.length;
    while (this.#waitingBytes > 0 && this.#claim()) this.#fill();
    return this.#waitingBytes < sharedBlockBytes && this.#inFlight.size < blocksInFlightMax;
  }

  makeRoom(): Promise<void> {
    this.#room = this.#makeRoom();
    return this.#room;
  }

  async end(): Promise<{ sizeBytes: number; md5: Buffer }> {
    while (this.#waitingBytes > 0) await this.#sendBlock();
    if (this.#block) this.#send(this.#block);
    const [md5] = await Promise.all([this.#digest(), ...this.#inFlight]);
    return { sizeBytes: this.#sizeBytes, md5 };
  }

  /** Nothing of this upload is in use any more, however it ended. */
  async settled(): Promise<void> {
    await Promise.allSettled([this.#room]);
    if (this.#block) this.#blocks.give(this.#block);
    await Promise.allSettled([...this.#inFlight, this.#digest()]);
  }

  async #makeRoom(): Promise<void> {
    if (this.#inFlight.size >= blocksInFlightMax) await Promise.race(this.#inFlight);
    while (this.#waitingBytes >= sharedBlockBytes) await this.#sendBlock();
  }

  async #sendBlock(): Promise<void> {
    if (this.#inFlight.size >= blocksInFlightMax) await Promise.race(this.#inFlight);
    this.#block ??= await this.#blocks.take();
    while (this.#block && this.#waitingBytes > 0) this.#fill();
  }

  #claim(): boolean {
    if (this.#inFlight.size < blocksInFlightMax) this.#block ??= this.#blocks.claim();
    return this.#block !== undefined;
  }

  /** Copies one chunk, as far as there is room; a full block goes on its way. */
  #fill(): void {
    const [chunk] = this.#chunks;
    if (!this.#block || !chunk) return;
    const bytes = Math.min(chunk.length - this.#taken, sharedBlockBytes - this.#filled);
    const source = chunk.subarray(this.#taken, this.#taken + bytes);
    // Into memory that threads share, `fill` copies at 25 GB/s and `copy` word by word at 10.
    this.#block.bytes.fill(source, this.#filled, this.#filled + bytes);
    this.#filled += bytes;
    this.#taken += bytes;
    this.#waitingBytes -= bytes;
    if (this.#taken === chunk.length) {
      release(chunk);
      this.#chunks.shift();
      this.#taken = 0;
    }
    if (this.#filled === sharedBlockBytes) this.#send(this.#block);
  }

  #send(block: SharedBlock): void {
    const bytes = this.#filled;
    this.#block = undefined;
    this.#filled = 0;
    this.#sizeBytes += bytes;
    this.#blocks.filled(block);
    const written = this.#written.then(() => this.#file.append(block.bytes.subarray(0, bytes)));
    this.#written = written;
    const done = bothDone(written, this.#hash.append(block, bytes)).finally(() => this.#blocks.give(block));
    this.#inFlight.add(done);
    // One that failed stays, for whoever waits next.
    done.then(
      () => this.#inFlight.delete(done),
      () => {},
    );
  }

  #digest(): Promise<Buffer> {
    this.#md5 ??= this.#hash.digest();
    return this.#md5;
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
