import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { MultipartReference } from '../contract/upload.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { orUnavailable, ownedMultipart } from './owned-multipart.ts';
import { uploadStore } from './upload-store.ts';

export interface AbortUploadDeps {
  db: Queryable;
  stores: ObjectStores;
  clock: Clock;
}

/** Gives an unfinished upload up: its parts are erased. May be repeated; a completed upload is no multipart upload any more. */
export async function abortUpload(
  deps: AbortUploadDeps,
  principal: Principal,
  reference: MultipartReference,
): Promise<void> {
  const { db, clock } = deps;
  const { upload, store } = await ownedMultipart(deps, principal, reference);
  if (upload.erasedAt) return;
  const isDiscarded =
    upload.status === 'discarded' || (await uploadStore.discard(db, { id: upload.id, at: clock.date() }));
  if (!isDiscarded) throw new ApiError('invalid_multipart_upload');
  await orUnavailable(store.delete(upload.key));
  await uploadStore.markErased(db, { id: upload.id, at: clock.date() });
}
