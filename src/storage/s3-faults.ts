import type { S3ServiceException } from '@aws-sdk/client-s3';
import {
  InvalidParts,
  NoSuchObject,
  NoSuchUpload,
  ObjectChanged,
  StorageUnavailable,
} from './object-store.ts';

const partFaults = new Set(['InvalidPart', 'InvalidPartOrder', 'EntityTooSmall']);
const missingObject = new Set(['NoSuchKey', 'NotFound']);
const otherRegion = new Set([
  'PermanentRedirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraint',
]);

/** What an error of the SDK means to us. What only the operator can mend names the setting. */
export function s3Fault(error: unknown): Error {
  const { name, $metadata } = error as S3ServiceException;
  const status = $metadata?.httpStatusCode;
  if (name === 'NoSuchBucket') return missingBucket(error);
  if (missingObject.has(name)) return new NoSuchObject('the object does not exist', { cause: error });
  if (name === 'PreconditionFailed') return new ObjectChanged('the object was replaced', { cause: error });
  if (name === 'NoSuchUpload')
    return new NoSuchUpload('the multipart upload does not exist', { cause: error });
  if (partFaults.has(name)) return new InvalidParts('the store refused the parts', { cause: error });
  if (status === 404) return new NoSuchObject('the object does not exist', { cause: error });
  return new StorageUnavailable(reasonFor(error as S3ServiceException, status), { cause: error });
}

export function missingBucket(cause: unknown): StorageUnavailable {
  return new StorageUnavailable('the bucket does not exist: make it, or set LONGHAND_S3_BUCKET', { cause });
}

/** For what may be gone already. */
export function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof NoSuchObject || error instanceof NoSuchUpload)) throw error;
}

function reasonFor(error: S3ServiceException, status: number | undefined): string {
  if (error.name === 'CredentialsProviderError')
    return 'there are no credentials for it: set LONGHAND_S3_ACCESS_KEY_ID and LONGHAND_S3_SECRET_ACCESS_KEY, or give this machine a role';
  if (otherRegion.has(error.name) || status === 301)
    return 'the bucket is in another region: set LONGHAND_S3_REGION';
  if (status === 401 || status === 403)
    return 'the store refuses the credentials: check LONGHAND_S3_ACCESS_KEY_ID, LONGHAND_S3_SECRET_ACCESS_KEY and what they may do';
  if (status !== undefined) return `the store answered ${status} ${error.name}`;
  const { code = error.name } = error as { code?: string };
  return `the store does not answer (${code}): check LONGHAND_S3_ENDPOINT and that it runs`;
}
