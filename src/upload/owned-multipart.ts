import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { MultipartReference } from '../contract/upload.ts';
import type { Queryable } from '../platform/database/database.ts';
import { accountOfUploadKey } from '../storage/object-key.ts';
import { type ObjectStore, type ObjectStores, StorageUnavailable } from '../storage/object-store.ts';
import type { Upload } from './upload.ts';
import { uploadStore } from './upload-store.ts';

export type UploadInParts = Upload & { partSizeBytes: number; multipartId: string };

/** The multipart upload that a client names, in whatever state it is; foreign and unknown ones look alike. */
export async function ownedMultipart(
  { db, stores }: { db: Queryable; stores: ObjectStores },
  { account }: Principal,
  { key, storage, uploadId }: MultipartReference,
): Promise<{ upload: UploadInParts; store: ObjectStore }> {
  const store = stores.get(storage);
  const isOwned = accountOfUploadKey(key) === account.id;
  const upload = isOwned && (await uploadStore.find(db, { accountId: account.id, storage, key }));
  if (!upload || !store || !isMultipart(upload, uploadId)) throw new ApiError('invalid_multipart_upload');
  return { upload, store };
}

function isMultipart(upload: Upload, uploadId: string): upload is UploadInParts {
  return upload.partSizeBytes !== null && upload.multipartId === uploadId;
}

/** A store that does not answer is the same to every client of the upload operations. */
export async function orUnavailable<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error) => {
    if (error instanceof StorageUnavailable) throw new ApiError('api_uploads_unavailable', { cause: error });
    throw error;
  });
}
