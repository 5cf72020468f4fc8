import { createHash, randomUUID } from 'node:crypto';
import type { Account } from '../account/account.ts';
import type { Allowance } from '../account/allowance.ts';
import { ApiError } from '../contract/errors.ts';
import { labelOf } from '../contract/label.ts';
import type { CreateTranscriptionBody } from '../contract/transcription.ts';
import type { Database, Queryable } from '../platform/database.ts';
import type { TaskQueue } from '../platform/queue.ts';
import type { StorageId } from '../storage/object-store.ts';
import { idempotencyStore } from './idempotency-store.ts';
import { acquireQueue, type JobTask } from './queues.ts';
import { optionsFor, type Source, type Transcription } from './transcription.ts';
import { transcriptionStore } from './transcription-store.ts';
import { isProcessingAvailable } from './worker-presence.ts';

type UploadReference = NonNullable<CreateTranscriptionBody['upload']>;

export interface CreateTranscriptionDeps {
  db: Database;
  queue: TaskQueue;
  allowance: Allowance;
  /** Ownership, existence, size and type of a stored upload; throws an ApiError. */
  verifyUpload(
    account: Account,
    upload: UploadReference,
  ): Promise<{ id: string; storage: StorageId; key: string; sizeBytes: number }>;
  /** Ties the job to its upload, so that the sweep leaves it alone; false when the upload is gone meanwhile. */
  claimUpload(tx: Queryable, claim: { uploadId: string; transcriptionId: string }): Promise<boolean>;
  /** True for a public http or https URL without credentials and without a literal private address. */
  isAcceptableSourceUrl(url: string): boolean;
  /** A name for the job until the link was opened. */
  labelOfUrl(url: string): string;
}

export interface CreateTranscriptionRequest {
  account: Account;
  body: CreateTranscriptionBody;
  idempotencyKey?: string | undefined;
}

/** Checks in the written order, then queues the job: row, allowance and task in one transaction, or none of them. */
export async function createTranscription(
  deps: CreateTranscriptionDeps,
  { account, body, idempotencyKey }: CreateTranscriptionRequest,
): Promise<Transcription> {
  const { db, allowance } = deps;
  if (body.source_url != null && !deps.isAcceptableSourceUrl(body.source_url))
    throw new ApiError('invalid_source_url');
  const requestHash = createHash('sha256').update(JSON.stringify(body)).digest();
  if (idempotencyKey !== undefined) {
    const earlier = await earlierJob(db, account, idempotencyKey, requestHash);
    if (earlier) return earlier;
  }
  if (body.speaker_diarization && !account.plan.speakerDiarization) throw new ApiError('pro_required');
  await allowance.assertLeft(db, account);
  const { source, filename, uploadId } = await sourceOf(deps, account, body);
  if (!(await isProcessingAvailable(db))) throw new ApiError('api_processing_unavailable');

  const id = randomUUID();
  const options = optionsFor(account.plan, { speakerDiarization: body.speaker_diarization });
  const created = await queueJob(deps, async (tx) => {
    const { day } = await allowance.take(tx, account);
    const job = await transcriptionStore.insert(tx, {
      id,
      accountId: account.id,
      filename,
      source,
      options,
      allowanceDay: day,
    });
    const isClaimed =
      uploadId === undefined || (await deps.claimUpload(tx, { uploadId, transcriptionId: id }));
    if (!isClaimed) throw new ApiError('upload_not_found');
    if (idempotencyKey !== undefined) {
      const wasFirst = await idempotencyStore.remember(tx, {
        accountId: account.id,
        key: idempotencyKey,
        requestHash,
        transcriptionId: id,
      });
      if (!wasFirst) throw new SameKeyWasFaster();
    }
    return job;
  }).catch((error: unknown) => {
    if (error instanceof SameKeyWasFaster && idempotencyKey !== undefined) {
      return earlierJob(db, account, idempotencyKey, requestHash);
    }
    throw error;
  });
  if (!created) throw new ApiError('queue_unavailable');
  return created;
}

/** Inserts a job and its first task in one transaction; whatever goes wrong, no job is left behind. */
export async function queueJob(
  { db, queue }: Pick<CreateTranscriptionDeps, 'db' | 'queue'>,
  insert: (tx: Queryable) => Promise<Transcription>,
): Promise<Transcription> {
  try {
    const job = await db.transaction(async (tx) => {
      const inserted = await insert(tx);
      await queue.send(tx, acquireQueue.name, [{ data: { transcriptionId: inserted.id } satisfies JobTask }]);
      return inserted;
    });
    queue.wake(acquireQueue.name);
    return job;
  } catch (error) {
    if (error instanceof ApiError || error instanceof SameKeyWasFaster) throw error;
    throw new ApiError('queue_unavailable', { cause: error });
  }
}

class SameKeyWasFaster extends Error {}

async function sourceOf(
  deps: CreateTranscriptionDeps,
  account: Account,
  body: CreateTranscriptionBody,
): Promise<{ source: Source; filename: string; uploadId?: string }> {
  if (body.source_url != null) {
    return {
      source: { kind: 'url', url: body.source_url },
      filename: labelOf(deps.labelOfUrl(body.source_url), 'link'),
    };
  }
  if (!body.upload) throw new ApiError('invalid_source');
  const { id, storage, key, sizeBytes } = await deps.verifyUpload(account, body.upload);
  return {
    uploadId: id,
    source: { kind: 'upload', storage, key, sizeBytes },
    filename: labelOf(body.upload.filename, 'upload'),
  };
}

async function earlierJob(
  db: Queryable,
  account: Account,
  key: string,
  requestHash: Buffer,
): Promise<Transcription | undefined> {
  const known = await idempotencyStore.find(db, account.id, key);
  if (!known) return undefined;
  if (!known.requestHash.equals(requestHash)) throw new ApiError('idempotency_key_reused');
  const job = await transcriptionStore.findOwned(db, account.id, known.transcriptionId);
  // The same answer as the first time, whatever became of the job since.
  return job && { ...job, status: 'processing' };
}
