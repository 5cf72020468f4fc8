import type { DeletedUpload } from '../upload/upload-store.ts';
import type { ErasureTarget } from './erasure-store.ts';

/** A transfer may begin in the last second of its URL and still run. */
const graceMs = 3_600_000;

/**
 * What is to be erased of uploads whose rows are gone. Only a signed PUT of a whole object to S3 can bring bytes later:
 * our own storage asks for the row, and a part whose session is gone is refused.
 */
export function uploadTargets(
  uploads: readonly DeletedUpload[],
  now: Date,
): (ErasureTarget & { until: Date })[] {
  return uploads.map(({ storage, key, expiresAt, isMultipart }) => {
    const endsMs = storage === 'local' || isMultipart ? 0 : expiresAt.getTime() + graceMs;
    return { storage, target: key, until: new Date(Math.max(endsMs, now.getTime())) };
  });
}
