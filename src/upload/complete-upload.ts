import { createHash } from 'node:crypto';
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { CompleteUploadCommand } from '../contract/upload.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import {
  InvalidParts,
  NoSuchUpload,
  type ObjectStore,
  type ObjectStores,
  type StorageId,
  type UploadedPart,
} from '../storage/object-store.ts';
import { plainEtag } from '../storage/part-etag.ts';
import { orUnavailable, ownedMultipart, type UploadInParts } from './owned-multipart.ts';
import { partSizes } from './part-plan.ts';
import { uploadStore } from './upload-store.ts';

export interface CompleteUploadDeps {
  db: Queryable;
  stores: ObjectStores;
  clock: Clock;
}

/** Makes one object of the parts. A client that lost the answer repeats the request and gets the same one. */
export async function completeUpload(
  deps: CompleteUploadDeps,
  principal: Principal,
  command: CompleteUploadCommand,
): Promise<{ key: string; storage: StorageId }> {
  const { upload, store } = await ownedMultipart(deps, principal, command);
  const partsHash = hashOf(command.parts);
  const fault =
    upload.status === 'open'
      ? await commit(deps, { upload, store, parts: command.parts, partsHash })
      : undefined;
  // Read again: another complete or an abort may have been first, and then its outcome counts.
  const { upload: now } = await ownedMultipart(deps, principal, command);
  if (now.status === 'discarded') {
    if (upload.status === 'open') await orUnavailable(store.delete(upload.key));
    throw new ApiError('invalid_multipart_upload');
  }
  if (now.status === 'open') throw fault ?? new ApiError('invalid_multipart_upload');
  if (!now.partsHash?.equals(partsHash)) throw new ApiError('invalid_multipart_parts');
  return { key: now.key, storage: now.storage };
}

interface Commit {
  upload: UploadInParts;
  store: ObjectStore;
  parts: readonly UploadedPart[];
  partsHash: Buffer;
}

/** Resolves with what prevented it; the caller knows better what that means. */
async function commit(
  { db, clock }: CompleteUploadDeps,
  { upload, store, parts, partsHash }: Commit,
): Promise<unknown> {
  if (clock.date() >= upload.expiresAt) return new ApiError('invalid_multipart_upload');
  try {
    await orUnavailable(joinParts(store, upload, parts));
  } catch (error) {
    return error;
  }
  await uploadStore.complete(db, { id: upload.id, partsHash, at: clock.date() });
  return undefined;
}

async function joinParts(
  store: ObjectStore,
  { key, multipartId, sizeBytes, partSizeBytes }: UploadInParts,
  parts: readonly UploadedPart[],
): Promise<void> {
  const partSizesBytes = partSizes(sizeBytes, partSizeBytes);
  try {
    await store.completeMultipart({ key, uploadId: multipartId, parts, partSizesBytes });
  } catch (error) {
    if (error instanceof InvalidParts) throw new ApiError('invalid_multipart_parts', { cause: error });
    if (error instanceof NoSuchUpload) throw new ApiError('invalid_multipart_upload', { cause: error });
    throw error;
  }
}

function hashOf(parts: readonly UploadedPart[]): Buffer {
  const text = JSON.stringify(parts.map(({ partNumber, etag }) => [partNumber, plainEtag(etag)]));
  return createHash('sha256').update(text).digest();
}
