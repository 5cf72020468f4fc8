/** One recording on a server, remembered at each step, so that the same command later goes on with it. */
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import {
  type CompletedTranscription,
  type CreateTranscription,
  type Longhand,
  LonghandError,
  TranscriptionFailedError,
  type UploadState,
} from '#longhand-client';
import { fileFrom } from '#longhand-client/node';
import { type JobMemory, linkKeptMs, type RememberedJob } from './job-memory.ts';
import type { Follower } from './job-runner.ts';
import { sniffedType } from './sniffed-type.ts';

export interface ServerJobSource {
  /** A file of this machine with the name the job gets, or a link. */
  media: { kind: 'file'; path: string; filename: string } | { kind: 'link'; url: string };
  speakers: boolean;
}

interface Deps {
  client: Longhand;
  /** Of the server: what was sent to another counts nothing. */
  url: string;
  memory: JobMemory;
}

export class ServerJob {
  readonly #client: Longhand;
  readonly #memory: JobMemory;
  readonly #source: ServerJobSource;
  readonly #identity: readonly unknown[];

  private constructor({ client, memory }: Deps, source: ServerJobSource, identity: readonly unknown[]) {
    this.#client = client;
    this.#memory = memory;
    this.#source = source;
    this.#identity = identity;
  }

  static async of(deps: Deps, source: ServerJobSource): Promise<ServerJob> {
    const { media, speakers } = source;
    const same = media.kind === 'link' ? [media.url] : await fileIdentity(media.path);
    return new ServerJob(deps, source, [deps.url, speakers, ...same]);
  }

  forget(): Promise<void> {
    return this.#memory.forget(this.#identity);
  }

  /** Throws what the client throws; a job that had failed before this run is tried again once. */
  async done(follower: Follower): Promise<CompletedTranscription> {
    const maxAgeMs = this.#source.media.kind === 'link' ? linkKeptMs : undefined;
    const known = await this.#memory.recall(this.#identity, maxAgeMs);
    try {
      return await this.#attempt(known, follower);
    } catch (error) {
      if (error instanceof TranscriptionFailedError) await this.forget();
      if (!known || !isStale(error)) throw error;
      await this.forget();
      return await this.#attempt(undefined, follower);
    }
  }

  async #attempt(known: RememberedJob | undefined, follower: Follower): Promise<CompletedTranscription> {
    const { signal } = follower;
    if (known?.step === 'created') {
      const { status } = await this.#client.transcriptions.get(known.id, { signal });
      if (status === 'failed') throw new FailedBefore();
    }
    const id = known?.step === 'created' ? known.id : await this.#create(known, follower);
    return await this.#client.transcriptions.wait(id, {
      signal,
      onProgress: ({ stage, percent }) => follower.onProgress({ stage, percent }),
      onText: ({ text }) => follower.onText?.(text),
    });
  }

  async #create(
    known: Exclude<RememberedJob, { step: 'created' }> | undefined,
    follower: Follower,
  ): Promise<string> {
    const ready = known?.step === 'ready' ? known : await this.#prepare(known?.upload, follower);
    const { id } = await this.#client.transcriptions.create(ready.request, {
      signal: follower.signal,
      idempotencyKey: ready.idempotencyKey,
    });
    await this.#remember({ step: 'created', id });
    return id;
  }

  /** Written down before the job is created: an answer that nobody heard is asked for again under the same key. */
  async #prepare(begun: UploadState | undefined, follower: Follower) {
    const { media, speakers } = this.#source;
    const source =
      media.kind === 'link' ? { source_url: media.url } : { upload: await this.#upload(begun, follower) };
    const request: CreateTranscription = { ...source, ...(speakers ? { speaker_diarization: true } : {}) };
    const ready = { step: 'ready' as const, request, idempotencyKey: randomUUID() };
    await this.#remember(ready);
    return ready;
  }

  async #upload(begun: UploadState | undefined, { signal, onProgress }: Follower) {
    const { media, speakers } = this.#source;
    if (media.kind !== 'file') throw new Error('only files are uploaded');
    const contentType = await sniffedType(media.path, media.filename);
    let saved = Promise.resolve();
    const upload = await this.#client.uploads.upload(await fileFrom(media.path), {
      filename: media.filename,
      ...(contentType === undefined ? {} : { contentType }),
      speakerDiarization: speakers,
      signal,
      ...(begun ? { resumeFrom: begun } : {}),
      onState: (state) => {
        saved = this.#remember({ step: 'uploading', upload: state });
      },
      onProgress: ({ bytesSent, bytesTotal }) =>
        onProgress({ stage: 'uploading', percent: (100 * bytesSent) / bytesTotal }),
    });
    await saved;
    return upload;
  }

  #remember(job: RememberedJob): Promise<void> {
    return this.#memory.remember(this.#identity, job);
  }
}

async function fileIdentity(path: string): Promise<unknown[]> {
  const { size, mtimeMs } = await stat(path);
  return [path, size, mtimeMs];
}

class FailedBefore extends Error {}

/** What the server no longer knows, or never did of this account. */
const staleCodes: ReadonlySet<string> = new Set([
  'not_found',
  'invalid_multipart_upload',
  'invalid_multipart_parts',
  'upload_not_found',
  'upload_not_owned',
  'idempotency_key_reused',
  'other_file',
]);

function isStale(error: unknown): boolean {
  return error instanceof FailedBefore || (error instanceof LonghandError && staleCodes.has(error.code));
}
