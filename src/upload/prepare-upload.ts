import { randomUUID } from 'node:crypto';
import type { Account } from '../account/account.ts';
import type { Allowance } from '../account/allowance.ts';
import { ApiError } from '../contract/errors.ts';
import { labelOf } from '../contract/label.ts';
import { acceptedType } from '../media/accepted-media.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database.ts';
import { uploadKey } from '../storage/object-key.ts';
import {
  type ObjectStore,
  type ObjectStores,
  type SignedPut,
  type StorageId,
  StorageUnavailable,
} from '../storage/object-store.ts';
import { partSizeFor, partSizes } from './part-plan.ts';
import type { Upload } from './upload.ts';
import { uploadStore } from './upload-store.ts';

export interface PrepareUploadDeps {
  db: Queryable;
  stores: ObjectStores;
  allowance: Allowance;
  clock: Clock;
  /** From this size on an upload is multipart. */
  multipartThresholdBytes: number;
}

export interface PrepareUploadRequest {
  account: Account;
  filename: string;
  sizeBytes: number;
  contentType: string | null;
  speakerDiarization: boolean;
  /** Where the caller reaches this service: the base of upload URLs that lead to it. */
  serviceUrl: string;
}

export interface UploadTarget {
  key: string;
  storage: StorageId;
  contentType: string;
  upload: SingleTarget | MultipartTarget;
}

interface SingleTarget extends SignedPut {
  type: 'single';
}

interface MultipartTarget {
  type: 'multipart';
  uploadId: string;
  partSizeBytes: number;
  parts: { partNumber: number; url: string }[];
}

const singleUrlSeconds = 15 * 60;
const partUrlSeconds = 4 * 60 * 60;

/** Checks what can be checked before a byte moves, and signs where the bytes may go. */
export async function prepareUpload(
  deps: PrepareUploadDeps,
  request: PrepareUploadRequest,
): Promise<UploadTarget> {
  const { account, filename, sizeBytes } = request;
  if (request.speakerDiarization && !account.plan.speakerDiarization) throw new ApiError('pro_required');
  await deps.allowance.assertLeft(deps.db, account);
  if (sizeBytes > account.plan.fileBytesMax) throw new ApiError('file_too_large');
  const contentType = acceptedType(filename, request.contentType);
  if (contentType === undefined) throw new ApiError('unsupported_type');
  try {
    return await signTarget(deps, { ...request, contentType });
  } catch (error) {
    if (error instanceof StorageUnavailable) throw new ApiError('api_uploads_unavailable', { cause: error });
    throw error;
  }
}

type AcceptedRequest = PrepareUploadRequest & { contentType: string };

async function signTarget(deps: PrepareUploadDeps, request: AcceptedRequest): Promise<UploadTarget> {
  const { current: store } = deps.stores;
  await store.check(request.sizeBytes);
  const isMultipart = request.sizeBytes >= deps.multipartThresholdBytes;
  const upload = await insertUpload(deps, request, isMultipart);
  const target = isMultipart ? await multipartTarget(deps, store, upload) : await singleTarget(store, upload);
  const whole = withWholeUrls(target, request.serviceUrl);
  return { key: upload.key, storage: store.id, contentType: upload.contentType, upload: whole };
}

function withWholeUrls<Target extends SingleTarget | MultipartTarget>(
  target: Target,
  serviceUrl: string,
): Target {
  const whole = (url: string) => (url.startsWith('/') ? serviceUrl + url : url);
  if (target.type === 'single') return { ...target, url: whole(target.url) };
  return { ...target, parts: target.parts.map((part) => ({ ...part, url: whole(part.url) })) };
}

async function insertUpload(
  { db, stores, clock }: PrepareUploadDeps,
  request: AcceptedRequest,
  isMultipart: boolean,
): Promise<Upload> {
  const id = randomUUID();
  const lifetimeSeconds = isMultipart ? partUrlSeconds : singleUrlSeconds;
  return uploadStore.insert(db, {
    id,
    accountId: request.account.id,
    storage: stores.current.id,
    key: uploadKey(request.account.id, id),
    filename: labelOf(request.filename, 'upload'),
    contentType: request.contentType,
    sizeBytes: request.sizeBytes,
    partSizeBytes: isMultipart ? partSizeFor(request.sizeBytes) : null,
    createdAt: clock.date(),
    expiresAt: new Date(clock.now() + lifetimeSeconds * 1000),
  });
}

async function singleTarget(store: ObjectStore, upload: Upload): Promise<SingleTarget> {
  const { key, sizeBytes, contentType } = upload;
  const put = await store.signPut({ key, sizeBytes, contentType, expiresInSeconds: singleUrlSeconds });
  return { type: 'single', ...put };
}

async function multipartTarget(
  { db }: PrepareUploadDeps,
  store: ObjectStore,
  { id, key, sizeBytes, contentType }: Upload,
): Promise<MultipartTarget> {
  const partSizeBytes = partSizeFor(sizeBytes);
  const uploadId = await store.startMultipart({ key, contentType });
  await uploadStore.setMultipartId(db, id, uploadId);
  const parts = await Promise.all(
    partSizes(sizeBytes, partSizeBytes).map(async (partBytes, index) => {
      const partNumber = index + 1;
      const part = { key, uploadId, partNumber, sizeBytes: partBytes, expiresInSeconds: partUrlSeconds };
      return { partNumber, url: await store.signPart(part) };
    }),
  );
  return { type: 'multipart', uploadId, partSizeBytes, parts };
}
