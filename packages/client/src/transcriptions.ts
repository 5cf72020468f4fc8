import { LonghandError } from './error.ts';
import { transcriptionEvents } from './event-stream.ts';
import { pause } from './pause.ts';
import type { Transport } from './transport.ts';
import type {
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

export interface WaitOptions {
  signal?: AbortSignal;
  onProgress?(progress: TranscriptionProgress): void;
  /** Each finished part of the text, in order, once. */
  onText?(part: TranscriptionText): void;
}

export interface TranscribeOptions extends WaitOptions {
  speakerDiarization?: boolean;
  /** Makes a repetition of this call join the job of the first; by default every call is a job of its own. */
  idempotencyKey?: string;
  upload?: Omit<UploadOptions, 'signal' | 'speakerDiarization'>;
}

const path = '/api/v1/transcriptions';
const pollMsFirst = 1_000;
const pollMsMax = 10_000;

/** The job ended as failed; its `error` is the message. */
export class TranscriptionFailedError extends LonghandError {
  override readonly name = 'TranscriptionFailedError';
  readonly transcription: Transcription;

  constructor(transcription: Transcription) {
    super(transcription.error ?? 'The transcription failed.', { code: 'transcription_failed' });
    this.transcription = transcription;
  }
}

export class Transcriptions {
  readonly #transport: Transport;
  readonly #uploads: Uploads;

  constructor(transport: Transport, uploads: Uploads) {
    this.#transport = transport;
    this.#uploads = uploads;
  }

  /** Starts a job. Repeated after a lost answer under the same key, it is still one job. */
  create(
    request: CreateTranscription,
    { signal, idempotencyKey = crypto.randomUUID() }: { signal?: AbortSignal; idempotencyKey?: string } = {},
  ): Promise<CreatedTranscription> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.#transport.request('POST', path, { body: request, headers, signal });
  }

  get(id: string, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<Transcription> {
    return this.#transport.request('GET', `${path}/${encodeURIComponent(id)}`, { signal });
  }

  /** The newest first. */
  list({ limit, signal }: { limit?: number; signal?: AbortSignal } = {}): Promise<TranscriptionListItem[]> {
    const query = limit === undefined ? '' : `?limit=${limit}`;
    return this.#transport.request('GET', path + query, { signal });
  }

  /** Progress, text and the end of a job, as they come; cut streams are taken up again. */
  events(
    id: string,
    options: { signal?: AbortSignal | undefined; lastEventId?: string } = {},
  ): AsyncGenerator<TranscriptionEvent> {
    return transcriptionEvents(this.#transport, id, options);
  }

  /** Until the job has ended; by its stream, and by polling where streams do not get through. */
  async wait(id: string, { signal, onProgress, onText }: WaitOptions = {}): Promise<CompletedTranscription> {
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

  /** A link, a Blob or File, or a stream of known size, to its text. */
  async transcribe(
    source: string | URL | UploadSource,
    { signal, onProgress, onText, speakerDiarization, idempotencyKey, upload }: TranscribeOptions = {},
  ): Promise<CompletedTranscription> {
    const speakers = speakerDiarization === undefined ? {} : { speaker_diarization: speakerDiarization };
    const given = { ...(signal ? { signal } : {}) };
    const request =
      typeof source === 'string' || source instanceof URL
        ? { source_url: String(source) }
        : {
            upload: await this.#uploads.upload(source, {
              ...upload,
              ...given,
              ...(speakerDiarization === undefined ? {} : { speakerDiarization }),
            }),
          };
    const { id } = await this.create(
      { ...request, ...speakers },
      { ...given, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) },
    );
    return await this.wait(id, {
      ...given,
      ...(onProgress ? { onProgress } : {}),
      ...(onText ? { onText } : {}),
    });
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
