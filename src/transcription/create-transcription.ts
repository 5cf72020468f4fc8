import { createHash, randomUUID } from 'node:crypto';
import type { Account } from '../account/account.ts';
import type { Allowance } from '../account/allowance.ts';
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { labelOf } from '../contract/label.ts';
import type { CreateTranscriptionCommand, UploadReference } from '../contract/transcription.ts';
import type { Database, Queryable } from '../platform/database.ts';
import type { Logger } from '../platform/telemetry.ts';
import type { StorageId } from '../storage/object-store.ts';
import { type AdmissionDeps, admitJobs, wakeSteps } from './admission.ts';
import { idempotencyStore } from './idempotency-store.ts';
import type { JobNotes } from './job-notes.ts';
import { optionsFor, type ProcessingTranscription, type Source } from './transcription.ts';
import { transcriptionStore } from './transcription-store.ts';
import { isProcessingAvailable } from './worker-presence.ts';

export interface CreateTranscriptionDeps extends AdmissionDeps {
  db: Database;
  allowance: Allowance;
  logger: Logger;
  /** Ownership, existence, size and type of a stored upload; throws an ApiError. */
  verifyUpload(
    principal: Principal,
    upload: UploadReference,
  ): Promise<{ id: string; storage: StorageId; key: string; sizeBytes: number; etag: string }>;
  /** Ties the job to its upload, so that the sweep leaves it alone; false when the upload is gone meanwhile. */
  claimUpload(tx: Queryable, claim: { uploadId: string; transcriptionId: string }): Promise<boolean>;
  /** True for a public http or https URL without credentials and without a literal private address. */
  isAcceptableSourceUrl(url: string): boolean;
  /** A name for the job until the link was opened. */
  labelOfUrl(url: string): string;
  notes?: JobNotes | undefined;
}

export type CreatedTranscription = Pick<ProcessingTranscription, 'id' | 'filename' | 'createdAt' | 'status'>;

export type CreateTranscriptionRequest = CreateTranscriptionCommand & { idempotencyKey?: string | undefined };

/** Checks in the written order, then queues the job: row, allowance and task in one transaction, or none of them. */
export async function createTranscription(
  deps: CreateTranscriptionDeps,
  principal: Principal,
  { idempotencyKey, ...command }: CreateTranscriptionRequest,
): Promise<CreatedTranscription> {
  const { db, allowance } = deps;
  const { account } = principal;
  if (command.source.kind === 'url' && !deps.isAcceptableSourceUrl(command.source.url))
    throw new ApiError('invalid_source_url');
  const requestHash = createHash('sha256').update(JSON.stringify(command)).digest();
  if (idempotencyKey !== undefined) {
    const earlier = await earlierJob(db, account, idempotencyKey, requestHash);
    if (earlier) return earlier;
  }
  if (command.speakerDiarization && !account.plan.speakerDiarization) throw new ApiError('pro_required');
  await allowance.assertLeft(db, account);
  const { source, filename, uploadId } = await sourceOf(deps, principal, command.source);
  if (!(await isProcessingAvailable(db))) throw new ApiError('api_processing_unavailable');

  const id = randomUUID();
  const options = optionsFor(account.plan, { speakerDiarization: command.speakerDiarization });
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
  const { credential, door } = principal;
  deps.logger.info({ job: created.id, account: account.id, credential, door }, 'a job was accepted');
  deps.notes?.accepted(door);
  return created;
}

/**
 * Inserts a job and, unless others of its account go before it, its first task in one transaction; whatever goes wrong,
 * no job is left behind.
 */
export async function queueJob(
  deps: AdmissionDeps & Pick<CreateTranscriptionDeps, 'db'>,
  insert: (tx: Queryable) => Promise<ProcessingTranscription>,
): Promise<ProcessingTranscription> {
  try {
    const { job, admitted } = await deps.db.transaction(async (tx) => {
      const inserted = await insert(tx);
      return { job: inserted, admitted: await admitJobs(deps, tx, inserted.accountId) };
    });
    wakeSteps(deps.queue, admitted);
    return job;
  } catch (error) {
    if (error instanceof ApiError || error instanceof SameKeyWasFaster) throw error;
    throw new ApiError('queue_unavailable', { cause: error });
  }
}

class SameKeyWasFaster extends Error {}

async function sourceOf(
  deps: CreateTranscriptionDeps,
  principal: Principal,
  source: CreateTranscriptionCommand['source'],
): Promise<{ source: Source; filename: string; uploadId?: string }> {
  if (source.kind === 'url') return { source, filename: labelOf(deps.labelOfUrl(source.url), 'link') };
  const { id, storage, key, sizeBytes, etag } = await deps.verifyUpload(principal, source);
  return {
    uploadId: id,
    source: { kind: 'upload', storage, key, sizeBytes, etag },
    filename: labelOf(source.filename, 'upload'),
  };
}

async function earlierJob(
  db: Queryable,
  account: Account,
  key: string,
  requestHash: Buffer,
): Promise<CreatedTranscription | undefined> {
  const known = await idempotencyStore.find(db, account.id, key);
  if (!known) return undefined;
  if (!known.requestHash.equals(requestHash)) throw new ApiError('idempotency_key_reused');
  const job = await transcriptionStore.findOwned(db, account.id, known.transcriptionId);
  // The same answer as the first time, whatever became of the job since.
  return job && { id: job.id, filename: job.filename, createdAt: job.createdAt, status: 'processing' };
}
