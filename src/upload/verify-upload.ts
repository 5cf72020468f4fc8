import { buffer } from 'node:stream/consumers';
import type { Account } from '../account/account.ts';
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { labelOf } from '../contract/label.ts';
import type { UploadReference } from '../contract/transcription.ts';
import { acceptedType } from '../media/accepted-media.ts';
import { magicBytesWanted, mediaKind } from '../media/magic.ts';
import type { Queryable } from '../platform/database/database.ts';
import { accountOfUploadKey } from '../storage/object-key.ts';
import {
  NoSuchObject,
  ObjectChanged,
  type ObjectStore,
  type ObjectStores,
  type StorageId,
  StorageUnavailable,
} from '../storage/object-store.ts';
import type { Upload } from './upload.ts';
import { fileTooLarge, sizeDiffers, unsupportedBytes, unsupportedName } from './upload-refusal.ts';
import { uploadStore } from './upload-store.ts';

export interface VerifyUploadDeps {
  db: Queryable;
  stores: ObjectStores;
}

export interface VerifiedUpload {
  id: string;
  storage: StorageId;
  key: string;
  sizeBytes: number;
  /** A label for people; never a path. */
  filename: string;
  contentType: string;
  /** Of the bytes that were looked at. */
  etag: string;
}

/** What is really stored under a client's reference: owned, present, of the stated size, and media by its bytes. */
export async function verifyUpload(
  deps: VerifyUploadDeps,
  { account }: Principal,
  reference: UploadReference,
): Promise<VerifiedUpload> {
  try {
    return await verify(deps, account, reference);
  } catch (error) {
    // Deleted or replaced while it was looked at.
    if (error instanceof NoSuchObject || error instanceof ObjectChanged)
      throw new ApiError('upload_not_found', { cause: error });
    // Create has no code of its own for a store that is down; this one says that nothing was queued.
    if (error instanceof StorageUnavailable)
      throw new ApiError('api_processing_unavailable', { cause: error });
    throw error;
  }
}

async function verify(
  deps: VerifyUploadDeps,
  account: Account,
  reference: UploadReference,
): Promise<VerifiedUpload> {
  const { key, storage, sizeBytes, filename } = reference;
  const { upload, store } = await ownedUpload(deps, { account, key, storage });
  const stored = await store.head(key);
  if (!stored) throw new ApiError('upload_not_found');
  if (stored.sizeBytes === 0) throw new ApiError('empty_upload');
  if (stored.sizeBytes !== sizeBytes) throw sizeDiffers(stored.sizeBytes, sizeBytes);
  if (stored.sizeBytes > account.plan.fileBytesMax) throw fileTooLarge(stored.sizeBytes, account.plan);
  // The prepared type was validated; a client that names another one at create is held to that.
  const declaredType = reference.contentType ?? upload.contentType;
  const contentType = acceptedType(filename, declaredType);
  if (contentType === undefined) throw unsupportedName(filename, declaredType);
  const { etag } = stored;
  const range = { start: 0, end: Math.min(magicBytesWanted, stored.sizeBytes) - 1 };
  const firstBytes = await buffer(await store.read(key, { range, etag }));
  if (mediaKind(firstBytes) === undefined) throw unsupportedBytes();
  return {
    id: upload.id,
    storage,
    key,
    sizeBytes,
    filename: labelOf(filename, upload.filename),
    contentType,
    etag,
  };
}

async function ownedUpload(
  { db, stores }: VerifyUploadDeps,
  { account, key, storage }: { account: Account; key: string; storage: StorageId },
): Promise<{ upload: Upload; store: ObjectStore }> {
  const owner = accountOfUploadKey(key);
  if (owner !== undefined && owner !== account.id) throw new ApiError('upload_not_owned');
  const upload = owner && (await uploadStore.find(db, { accountId: account.id, storage, key }));
  const store = stores.get(storage);
  if (!upload || !store || !isUsable(upload)) throw new ApiError('upload_not_found');
  return { upload, store };
}

/** A single PUT has no completing step: whether it happened is seen in the store. */
function isUsable(upload: Upload): boolean {
  return upload.status === 'completed' || (upload.status === 'open' && upload.partSizeBytes === null);
}
