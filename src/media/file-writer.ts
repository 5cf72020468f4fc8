import type { FileHandle } from 'node:fs/promises';
import type { DownloadReservation } from './folder-reservation.ts';

/** Enough for the disk to be worth the trip to the thread pool. At most two of these are in memory. */
const batchBytes = 1_048_576;

/**
 * Writes what arrives in large pieces, one piece while the next is gathered: the network does not wait for the disk
 * unless the disk is slower.
 */
export class FileWriter {
  /** Taken so far, written or not. */
  bytes = 0;
  readonly #file: FileHandle;
  readonly #reservation: DownloadReservation | undefined;
  #parts: Buffer[] = [];
  #waiting = 0;
  #position = 0;
  #writing: Promise<void> = Promise.resolve();

  /** With `reservation`, nothing is written that the disk has no space for. */
  constructor(file: FileHandle, reservation?: DownloadReservation) {
    this.#file = file;
    this.#reservation = reservation;
  }

  /** A promise only when the disk is behind: most pieces need no turn of the event loop. */
  add(chunk: Buffer): Promise<void> | undefined {
    this.#parts.push(chunk);
    this.#waiting += chunk.length;
    this.bytes += chunk.length;
    return this.#waiting >= batchBytes ? this.#startWriting() : undefined;
  }

  /** Resolves when everything taken so far has been written. */
  async flush(): Promise<void> {
    await this.#startWriting();
    await this.#writing;
  }

  /** Forgets everything: the file is empty again. */
  async restart(): Promise<void> {
    await this.#writing;
    this.#parts = [];
    this.#waiting = 0;
    this.#position = 0;
    this.bytes = 0;
    await this.#file.truncate(0);
  }

  async #startWriting(): Promise<void> {
    await this.#writing;
    this.#reservation?.written(this.#position);
    if (this.#waiting === 0) return;
    await this.#reservation?.coverShare(this.#position + this.#waiting);
    const parts = this.#parts;
    const bytes = this.#waiting;
    this.#parts = [];
    this.#waiting = 0;
    this.#writing = this.#write(parts, bytes);
    this.#writing.catch(() => {}); // Thrown to whoever waits for it next.
  }

  async #write(parts: Buffer[], bytes: number): Promise<void> {
    const { bytesWritten } = await this.#file.writev(parts, this.#position);
    let done = bytesWritten;
    this.#position += bytesWritten;
    while (done < bytes) {
      const rest = Buffer.concat(parts).subarray(done);
      const { bytesWritten: more } = await this.#file.write(rest, 0, rest.length, this.#position);
      done += more;
      this.#position += more;
    }
    for (const part of parts) release(part);
  }
}

/**
 * Gives the memory of a network read back at once. Left to the collector, a GiB in pieces of 64 KiB costs it some
 * forty rounds. Only where the piece is the whole of its memory, so that nobody else can hold a part of it.
 */
function release({ buffer, byteOffset, byteLength }: Buffer): void {
  if (byteOffset === 0 && byteLength === buffer.byteLength && buffer instanceof ArrayBuffer)
    buffer.transfer(0);
}
