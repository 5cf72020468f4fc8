import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { MultipartReference } from '../contract/upload.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import { NoSuchUpload, type ObjectStores, type StoredPart } from '../storage/object-store.ts';
import { orUnavailable, ownedMultipart } from './owned-multipart.ts';
import { partSizes } from './part-plan.ts';

export interface MultipartState {
  sizeBytes: number;
  partSizeBytes: number;
  /** Stored as the plan wants them. */
  uploaded: StoredPart[];
  /** With a URL that lives as long as the upload does. */
  missing: { partNumber: number; url: string }[];
}

/** Which parts of an unfinished upload are there: a client whose page or process ended goes on with the others. */
export async function multipartState(
  deps: { db: Queryable; stores: ObjectStores; clock: Clock },
  principal: Principal,
  reference: MultipartReference,
): Promise<MultipartState> {
  const { upload, store } = await ownedMultipart(deps, principal, reference);
  const expiresInSeconds = Math.floor((upload.expiresAt.getTime() - deps.clock.now()) / 1000);
  if (upload.status !== 'open' || expiresInSeconds <= 0) throw new ApiError('invalid_multipart_upload');
  const { key, sizeBytes, partSizeBytes, multipartId: uploadId } = upload;
  const stored = await orUnavailable(store.listParts({ key, uploadId })).catch((error) => {
    if (error instanceof NoSuchUpload) throw new ApiError('invalid_multipart_upload', { cause: error });
    throw error;
  });
  const planned = partSizes(sizeBytes, partSizeBytes);
  const uploaded = stored
    .filter((part) => planned[part.partNumber - 1] === part.sizeBytes)
    .toSorted((a, b) => a.partNumber - b.partNumber);
  const there = new Set(uploaded.map(({ partNumber }) => partNumber));
  const missing = await Promise.all(
    planned.flatMap((partBytes, index) => {
      const partNumber = index + 1;
      if (there.has(partNumber)) return [];
      const part = { key, uploadId, partNumber, sizeBytes: partBytes, expiresInSeconds };
      return [store.signPart(part).then((url) => ({ partNumber, url }))];
    }),
  );
  return { sizeBytes, partSizeBytes, uploaded, missing };
}
