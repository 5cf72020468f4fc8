import { LonghandError } from './error.ts';
import { put } from './put.ts';
import type { Transport } from './transport.ts';
import type { MultipartState, PartTarget } from './type.ts';

/** Bytes that can be read by range, any range, again. */
export interface RangedBytes {
  size: number;
  /** Streams come in order: then ranges are asked for in order, and each once. */
  inOrder: boolean;
  range(start: number, end: number): Promise<Blob | Uint8Array<ArrayBuffer>>;
}

export interface MultipartReference {
  key: string;
  storage: string;
  upload_id: string;
}

export interface TransferOptions {
  bytes: RangedBytes;
  partSize: number;
  parallel: number;
  signal: AbortSignal;
  onBytes(sent: number): void;
}

const path = '/api/v1/uploads/multipart';

/** The parts of one upload on their way: several at once, each repeated until it is stored, and can be held. */
export class MultipartTransfer {
  readonly #transport: Transport;
  readonly #reference: MultipartReference;
  readonly #options: TransferOptions;
  readonly #etags = new Map<number, string>();
  readonly #inFlight = new Map<number, number>();
  #pending: PartTarget[] = [];
  #hold: { promise: Promise<void>; resolve: () => void } | undefined;
  #moving = new AbortController();

  constructor(transport: Transport, reference: MultipartReference, options: TransferOptions) {
    this.#transport = transport;
    this.#reference = reference;
    this.#options = options;
  }

  pause(): void {
    this.#hold ??= gate();
    this.#moving.abort(new Error('paused'));
  }

  resume(): void {
    this.#moving = new AbortController();
    this.#hold?.resolve();
    this.#hold = undefined;
  }

  /** Which parts are there, and fresh URLs for the others. */
  async load(): Promise<void> {
    const query = new URLSearchParams({ ...this.#reference });
    const state = await this.#transport.request<MultipartState>('GET', `${path}?${query}`, {
      signal: this.#options.signal,
    });
    for (const { part_number, etag } of state.uploaded) this.#etags.set(part_number, etag);
    this.#pending = state.missing;
  }

  expect(parts: readonly PartTarget[]): void {
    this.#pending = [...parts];
  }

  /** Sends what is missing and makes the object of it. */
  async run(): Promise<void> {
    const lanes = this.#options.bytes.inOrder ? 1 : this.#options.parallel;
    this.#report();
    await Promise.all(Array.from({ length: lanes }, () => this.#lane()));
    const parts = [...this.#etags].toSorted(([a], [b]) => a - b);
    await this.#transport.request('POST', path, {
      body: { ...this.#reference, parts: parts.map(([part_number, etag]) => ({ part_number, etag })) },
      signal: this.#options.signal,
    });
  }

  async #lane(): Promise<void> {
    for (let part = this.#pending.shift(); part; part = this.#pending.shift()) {
      await this.#hold?.promise;
      await this.#send(part);
    }
  }

  async #send({ part_number: number, url }: PartTarget): Promise<void> {
    const { bytes, partSize, signal } = this.#options;
    const start = (number - 1) * partSize;
    const body = await bytes.range(start, Math.min(bytes.size, start + partSize));
    const etag = await this.#transport.retried(() => this.#put(number, url, body), signal);
    if (etag === '') {
      throw new LonghandError('The storage gave no ETag: its CORS rules must expose that header.', {
        code: 'upload_refused',
      });
    }
    this.#etags.set(number, etag);
    this.#inFlight.delete(number);
    this.#report();
  }

  /** A transfer that a pause interrupted begins anew when it ends. */
  async #put(number: number, url: string, body: Blob | Uint8Array<ArrayBuffer>): Promise<string> {
    for (;;) {
      await this.#hold?.promise;
      const moving = this.#moving.signal;
      try {
        return await put(this.#transport, {
          url,
          body,
          signal: AbortSignal.any([this.#options.signal, moving]),
          onBytes: (sent) => {
            this.#inFlight.set(number, sent);
            this.#report();
          },
        });
      } catch (error) {
        this.#inFlight.delete(number);
        if (!moving.aborted || this.#options.signal.aborted) throw error;
      }
    }
  }

  #report(): void {
    const { bytes, partSize, onBytes } = this.#options;
    const sizeOf = (number: number) => Math.min(bytes.size, number * partSize) - (number - 1) * partSize;
    const stored = [...this.#etags.keys()].reduce((sum, number) => sum + sizeOf(number), 0);
    const moving = [...this.#inFlight].reduce(
      (sum, [number, sent]) => sum + (this.#etags.has(number) ? 0 : sent),
      0,
    );
    onBytes(stored + moving);
  }
}

function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve };
}
