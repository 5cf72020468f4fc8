import { createHash } from 'node:crypto';
import type { Account } from '../../account/account.ts';
import { ApiError } from '../../contract/errors.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { ProcessingTranscription } from '../transcription.ts';
import { transcriptionStore } from '../transcription-store.ts';
import { idempotencyStore } from './idempotency-store.ts';
import { sameRequestStore } from './same-request-store.ts';

/** How a repeated request is known: by the caller's own key, or by its media and what is asked of it. */
export interface RequestIdentity {
  idempotencyKey: string | undefined;
  requestHash: Buffer;
  fingerprint: Buffer | null;
}

export interface CreatedTranscription
  extends Pick<ProcessingTranscription, 'id' | 'filename' | 'createdAt' | 'status'> {
  /** An earlier request created it. */
  isEarlier: boolean;
}

/** The job that the same request created before. */
export async function earlierJob(
  db: Queryable,
  account: Account,
  identity: RequestIdentity,
): Promise<CreatedTranscription | undefined> {
  const id = (await idOfKey(db, account, identity)) ?? (await idOfFingerprint(db, account, identity));
  const job = id && (await transcriptionStore.findOwned(db, account.id, id));
  if (!job) return undefined;
  // The same answer as the first time, whatever became of the job since.
  const { filename, createdAt } = job;
  return { id: job.id, filename, createdAt, status: 'processing', isEarlier: true };
}

async function idOfKey(
  db: Queryable,
  account: Account,
  { idempotencyKey, requestHash }: RequestIdentity,
): Promise<string | undefined> {
  if (idempotencyKey === undefined) return undefined;
  const known = await idempotencyStore.find(db, account.id, idempotencyKey);
  if (known && !known.requestHash.equals(requestHash)) throw new ApiError('idempotency_key_reused');
  return known?.transcriptionId;
}

async function idOfFingerprint(
  db: Queryable,
  account: Account,
  { fingerprint }: RequestIdentity,
): Promise<string | undefined> {
  return fingerprint === null ? undefined : await sameRequestStore.find(db, account.id, fingerprint);
}

/** Of the media's SHA-256 and everything that changes what its job gives. */
export function requestFingerprint(contentHash: Buffer, options: object): Buffer {
  return createHash('sha256').update(contentHash).update(JSON.stringify(options)).digest();
}
