import { LonghandError } from './error.ts';
import { MultipartTransfer, type RangedBytes } from './multipart.ts';
import { put } from './put.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, PartTarget, PrepareUpload, UploadReference, UploadTarget } from './type.ts';

export interface StreamSource {
  stream: ReadableStream<Uint8Array>;
  size: number;
  name: string;
  type?: string;
}

// In Node also `await fileFrom(path)` of `longhand-client/node`.
export type UploadSource = Blob | StreamSource;

export interface UploadProgress {
  bytesSent: number;
  bytesTotal: number;
}

// What a later page or process needs to go on. Plain JSON; holds no secret.
export interface UploadState extends UploadReference {
  upload_id: string;
  part_size: number;
  content_type: string;
}

export interface UploadOptions extends CallOptions {
  filename?: string;
  contentType?: string;
  // Checks ahead of time that the plan allows it.
  speakerDiarization?: boolean | undefined;
  // Parts under way at once; default 4.
  parallel?: number;
  onProgress?(progress: UploadProgress): void;
  /** Called when an upload in parts has begun: keep it to go on later. */
  onState?(state: UploadState): void;
  /** The same bytes again: only what is missing is sent. */
  resumeFrom?: UploadState;
}

export interface UploadTask {
  readonly done: Promise<UploadReference>;
  // Holds uploads in parts; single ones go on to their end.
  pause(): void;
  resume(): void;
  // Ends it and gives up what was stored.
  abort(): Promise<void>;
}

const multipartPath = '/api/v1/uploads/multipart';

export class Uploads {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  prepare(request: PrepareUpload, options?: CallOptions): Promise<UploadTarget> {
    return this.#transport.request('POST', '/api/v1/uploads', { body: request, ...options });
  }

  // Gives what creating a transcription takes.
  upload(source: UploadSource, options: UploadOptions = {}): Promise<UploadReference> {
    return this.start(source, options).done;
  }

  // The same, as something that can be paused and aborted.
  start(source: UploadSource, options: UploadOptions = {}): UploadTask {
    const ending = new AbortController();
    const { signal } = ending;
    options.signal?.addEventListener('abort', () => ending.abort(options.signal?.reason), { once: true });
    if (options.signal?.aborted) ending.abort(options.signal.reason);
    const run = new UploadRun(this.#transport, source, options, signal);
    const done = run.done();
    done.catch(() => {}); // Whoever awaits it hears of it.
    return {
      done,
      pause: () => run.pause(),
      resume: () => run.resume(),
      abort: async () => {
        ending.abort(new LonghandError('The upload was aborted.', { code: 'aborted' }));
        await done.catch(() => {});
        const { state } = run;
        if (!state) return;
        const { key, storage, upload_id } = state;
        await this.#transport.request('DELETE', multipartPath, { body: { key, storage, upload_id } });
      },
    };
  }
}

class UploadRun {
  state: UploadState | undefined;
  #transfer: MultipartTransfer | undefined;
  #isPaused = false;
  readonly #transport: Transport;
  readonly #bytes: RangedBytes;
  readonly #options: UploadOptions;
  readonly #signal: AbortSignal;
  readonly #filename: string;
  readonly #contentType: string | undefined;

  constructor(transport: Transport, source: UploadSource, options: UploadOptions, signal: AbortSignal) {
    this.#transport = transport;
    this.#bytes = rangedBytes(source);
    this.#options = options;
    this.#signal = signal;
    this.#filename = options.filename ?? ('name' in source ? String(source.name) : 'recording');
    this.#contentType = options.contentType ?? (source.type || undefined);
  }

  pause(): void {
    this.#isPaused = true;
    this.#transfer?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#transfer?.resume();
  }

  async done(): Promise<UploadReference> {
    const { resumeFrom } = this.#options;
    if (resumeFrom) return await this.#goOn(resumeFrom);
    const { size } = this.#bytes;
    const target = await this.#transport.request<UploadTarget>('POST', '/api/v1/uploads', {
      body: {
        filename: this.#filename,
        size,
        content_type: this.#contentType,
        speaker_diarization: this.#options.speakerDiarization,
      } satisfies PrepareUpload,
      signal: this.#signal,
    });
    const { upload, ...stored } = target;
    const reference = { ...stored, filename: this.#filename, size };
    if (upload.type === 'single') {
      await this.#putWhole(upload.url, upload.headers);
      return reference;
    }
    const { upload_id, part_size, parts } = upload;
    await this.#transferParts({ ...reference, upload_id, part_size }, parts);
    return reference;
  }

  async #putWhole(url: string, headers: Record<string, string>): Promise<void> {
    const body = await this.#bytes.range(0, this.#bytes.size);
    const onBytes = (bytesSent: number) => this.#progress(bytesSent);
    await this.#transport.retried(
      () => put(this.#transport, { url, headers, body, signal: this.#signal, onBytes }),
      this.#signal,
    );
  }

  async #goOn(state: UploadState): Promise<UploadReference> {
    const { upload_id, part_size, ...reference } = state;
    if (state.size !== this.#bytes.size) {
      throw new LonghandError('This is another file than before.', {
        code: 'other_file',
      });
    }
    await this.#transferParts(state);
    return reference;
  }

  async #transferParts(state: UploadState, parts?: PartTarget[]): Promise<void> {
    const { key, storage, upload_id, part_size: partSize } = state;
    this.state = state;
    const transfer = new MultipartTransfer(
      this.#transport,
      { key, storage, upload_id },
      {
        bytes: this.#bytes,
        partSize,
        parallel: this.#options.parallel ?? 4,
        signal: this.#signal,
        onBytes: (bytesSent) => this.#progress(bytesSent),
      },
    );
    this.#transfer = transfer;
    if (this.#isPaused) transfer.pause();
    if (parts) transfer.expect(parts);
    else await transfer.load();
    this.#options.onState?.(state);
    await transfer.run();
  }

  #progress(bytesSent: number): void {
    this.#options.onProgress?.({ bytesSent, bytesTotal: this.#bytes.size });
  }
}

function rangedBytes(source: UploadSource): RangedBytes {
  if (source instanceof Blob) {
    return { size: source.size, inOrder: false, range: async (start, end) => source.slice(start, end) };
  }
  const reader = source.stream.getReader();
  let position = 0;
  let rest: Uint8Array = new Uint8Array(0);
  return {
    size: source.size,
    inOrder: true,
    async range(start, end) {
      const wanted = new Uint8Array(end - start);
      let filled = 0;
      while (position < end) {
        if (rest.length === 0) {
          const part = await reader.read();
          if (part.done) throw shortStream(position, source.size);
          rest = part.value;
        }
        const taken = rest.subarray(0, end - position);
        // A resumed upload passes over what is stored already.
        if (position >= start) {
          wanted.set(taken, filled);
          filled += taken.length;
        } else if (position + taken.length > start) {
          rest = rest.subarray(start - position);
          position = start;
          continue;
        }
        position += taken.length;
        rest = rest.subarray(taken.length);
      }
      return wanted;
    },
  };
}

function shortStream(bytes: number, size: number): LonghandError {
  return new LonghandError(`The stream ended after ${bytes} of ${size} bytes.`, { code: 'stream_ended' });
}
