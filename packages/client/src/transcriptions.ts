import { LonghandError } from './error.ts';
import { transcriptionEvents } from './event-stream.ts';
import { pause } from './pause.ts';
import type { Transport } from './transport.ts';
import type {
  CallOptions,
  CompletedTranscription,
  CreatedTranscription,
  CreateTranscription,
  Transcription,
  TranscriptionEvent,
  TranscriptionListItem,
  TranscriptionProgress,
  TranscriptionText,
} from './type.ts';
import type { UploadOptions, UploadSource, Uploads } from './uploads.ts';

export interface WaitOptions extends CallOptions {
  onProgress?: ((progress: TranscriptionProgress) => void) | undefined;
  // Each finished part of the text, in order, once.
  onText?: ((part: TranscriptionText) => void) | undefined;
}

export interface CreateOptions extends CallOptions {
  /** Calls with the same key are one job; by default every call is its own. */
  idempotencyKey?: string | undefined;
}

export interface TranscribeOptions extends WaitOptions, CreateOptions {
  speakerDiarization?: boolean | undefined;
  upload?: UploadOptions;
}

const path = '/api/v1/transcriptions';
const pollMsFirst = 1_000;
const pollMsMax = 10_000;

export class TranscriptionFailedError extends LonghandError {
  override readonly name = 'TranscriptionFailedError';
  declare readonly transcription: Transcription;

  /** @internal */
  constructor(transcription: Transcription) {
    super(transcription.error ?? 'The transcription failed.', { code: 'transcription_failed' });
    this.transcription = transcription;
  }
}

export class Transcriptions {
  readonly #transport: Transport;
  readonly #uploads: Uploads;

  /** @internal */
  constructor(transport: Transport, uploads: Uploads) {
    this.#transport = transport;
    this.#uploads = uploads;
  }

  create(request: CreateTranscription, options: CreateOptions = {}): Promise<CreatedTranscription> {
    const headers = { 'idempotency-key': options.idempotencyKey ?? crypto.randomUUID() };
    return this.#transport.request('POST', path, { body: request, headers, signal: options.signal });
  }

  get(id: string, options?: CallOptions): Promise<Transcription> {
    return this.#transport.request('GET', `${path}/${encodeURIComponent(id)}`, options);
  }

  // The newest first.
  list(options: CallOptions & { limit?: number } = {}): Promise<TranscriptionListItem[]> {
    const query = options.limit === undefined ? '' : `?limit=${options.limit}`;
    return this.#transport.request('GET', path + query, { signal: options.signal });
  }

  // As they come; a cut stream is taken up again.
  events(
    id: string,
    options: CallOptions & { lastEventId?: string } = {},
  ): AsyncGenerator<TranscriptionEvent> {
    return transcriptionEvents(this.#transport, id, options);
  }

  // By the job's stream, and by polling where streams do not get through.
  async wait(id: string, options: WaitOptions = {}): Promise<CompletedTranscription> {
    const { signal, onProgress, onText } = options;
    try {
      for await (const event of this.events(id, { signal })) {
        if (event.type === 'progress') onProgress?.(event.data);
        else if (event.type === 'text') onText?.(event.data);
        else return completed(event.data);
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof LonghandError) || error.code !== 'connection_failed') throw error;
    }
    return await this.#poll(id, signal);
  }

  // From a link, a Blob or File, or a stream of known size to its text.
  async transcribe(
    source: string | URL | UploadSource,
    options: TranscribeOptions = {},
  ): Promise<CompletedTranscription> {
    const { signal, speakerDiarization } = options;
    const request =
      typeof source === 'string' || source instanceof URL
        ? { source_url: String(source) }
        : { upload: await this.#uploads.upload(source, { ...options.upload, signal, speakerDiarization }) };
    const { id } = await this.create({ ...request, speaker_diarization: speakerDiarization }, options);
    return await this.wait(id, options);
  }

  async #poll(id: string, signal: AbortSignal | undefined): Promise<CompletedTranscription> {
    for (let waitMs = pollMsFirst; ; waitMs = Math.min(pollMsMax, waitMs * 1.5)) {
      const job = await this.get(id, { signal });
      if (job.status !== 'processing') return completed(job);
      await pause(waitMs, signal);
    }
  }
}

function completed(job: Transcription): CompletedTranscription {
  if (job.status !== 'completed') throw new TranscriptionFailedError(job);
  return job as CompletedTranscription;
}
