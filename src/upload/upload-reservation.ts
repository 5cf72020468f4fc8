import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import { type DiskBudget, NoDiskSpace, shareOfAvailable } from '../platform/disk/disk-budget.ts';
import { uploadStore } from './upload-store.ts';

export interface UploadReservationDeps {
  db: Queryable;
  clock: Clock;
  /** Of the disk that the local storage is on. */
  disk: DiskBudget;
}

/**
 * Runs `insert`, whose row promises room on our own disk to an upload, if there is any. Where several accounts share
 * the disk, what one has stored may be at most twice what is left: so there is always something left for another, and
 * the more accounts there are, the less each can hold.
 */
export async function withReservation<Result>(
  { db, clock, disk }: UploadReservationDeps,
  { accountId, sizeBytes }: { accountId: string; sizeBytes: number },
  insert: () => Promise<Result>,
): Promise<Result> {
  const reservation = await disk.reserve(sizeBytes).catch((error: unknown) => {
    throw error instanceof NoDiskSpace ? diskIsFull(error) : error;
  });
  try {
    const { storedBytes, hasNeighbours } = await uploadStore.storedOnDisk(db, accountId, clock.date());
    if (hasNeighbours && storedBytes + sizeBytes > shareOfAvailable * (await disk.availableBytes()))
      throw shareIsUsed();
    return await insert();
  } finally {
    reservation.release();
  }
}

const retryHeaders = { 'retry-after': '60' };

function diskIsFull(cause: unknown): ApiError {
  const message =
    'There is no room for this file on the disk of the service at the moment. Try again later, or send a smaller file.';
  return new ApiError('api_uploads_unavailable', { message, cause, headers: retryHeaders });
}

function shareIsUsed(): ApiError {
  const message =
    'The disk of the service is nearly full, and the files of this account take up their share of it. Delete what is no longer needed, or try again when older files have been erased.';
  return new ApiError('api_uploads_unavailable', { message, headers: retryHeaders });
}
