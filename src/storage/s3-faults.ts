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

/** What an error of the SDK means to us. Refused credentials and a missing bucket are the operator's, so: unavailable. */
export function s3Fault(error: unknown): Error {
  const { name, $metadata } = error as S3ServiceException;
  if (missingObject.has(name)) return new NoSuchObject('the object does not exist', { cause: error });
  if (name === 'PreconditionFailed') return new ObjectChanged('the object was replaced', { cause: error });
  if (name === 'NoSuchUpload') return new NoSuchUpload('the session does not exist', { cause: error });
  if (partFaults.has(name)) return new InvalidParts('the store refused the parts', { cause: error });
  if ($metadata?.httpStatusCode === 404 && name !== 'NoSuchBucket')
    return new NoSuchObject('the object does not exist', { cause: error });
  return new StorageUnavailable('the object store does not answer as it should', { cause: error });
}
