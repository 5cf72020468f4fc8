import { randomUUID } from 'node:crypto';
import type { Account } from '../account/account.ts';
import type { Allowance } from '../account/allowance.ts';
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { labelOf } from '../contract/label.ts';
import type { PrepareUploadCommand } from '../contract/upload.ts';
import { acceptedType } from '../media/accepted-media.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { DiskBudget } from '../platform/disk/disk-budget.ts';
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
import { expectAllowed, fileTooLarge, unsupportedName } from './upload-refusal.ts';
import { withReservation } from './upload-reservation.ts';
import { uploadStore } from './upload-store.ts';

export interface PrepareUploadDeps {
  db: Pick<Database, 'query' | 'transaction'>;
  stores: ObjectStores;
  allowance: Allowance;
  clock: Clock;
  disk: DiskBudget;
  /** From this size on an upload is multipart. */
  multipartThresholdBytes: number;
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
  { account }: Principal,
  command: PrepareUploadCommand,
): Promise<UploadTarget> {
  const { filename, sizeBytes } = command;
  if (command.speakerDiarization && !account.plan.speakerDiarization) throw new ApiError('pro_required');
  await deps.allowance.assertLeft(deps.db, account);
  if (sizeBytes > account.plan.fileBytesMax) throw fileTooLarge(sizeBytes, account.plan);
  expectAllowed(await uploadStore.unused(deps.db, account.id), account.plan, sizeBytes);
  const contentType = acceptedType(filename, command.contentType);
  if (contentType === undefined) throw unsupportedName(filename, command.contentType);
  try {
    return await signTarget(deps, { ...command, account, contentType });
  } catch (error) {
    if (error instanceof StorageUnavailable) throw new ApiError('api_uploads_unavailable', { cause: error });
    throw error;
  }
}

type AcceptedUpload = PrepareUploadCommand & { account: Account; contentType: string };

async function signTarget(deps: PrepareUploadDeps, accepted: AcceptedUpload): Promise<UploadTarget> {
  const { current: store } = deps.stores;
  const isMultipart = accepted.sizeBytes >= deps.multipartThresholdBytes;
  const insert = async () => {
    await store.check();
    return await insertUpload(deps, accepted, isMultipart);
  };
  const wanted = { accountId: accepted.account.id, sizeBytes: accepted.sizeBytes };
  const upload = await (store.id === 'local' ? withReservation(deps, wanted, insert) : insert());
  const target = isMultipart ? await multipartTarget(deps, store, upload) : await singleTarget(store, upload);
  return { key: upload.key, storage: store.id, contentType: upload.contentType, upload: target };
}

/** One at a time for each account, so that each one counts those before it. */
async function insertUpload(
  { db, stores, clock }: PrepareUploadDeps,
  { account, ...accepted }: AcceptedUpload,
  isMultipart: boolean,
): Promise<Upload> {
  const id = randomUUID();
  const lifetimeSeconds = isMultipart ? partUrlSeconds : singleUrlSeconds;
  const upload = {
    id,
    accountId: account.id,
    storage: stores.current.id,
    key: uploadKey(account.id, id),
    filename: labelOf(accepted.filename, 'upload'),
    contentType: accepted.contentType,
    sizeBytes: accepted.sizeBytes,
    partSizeBytes: isMultipart ? partSizeFor(accepted.sizeBytes) : null,
    createdAt: clock.date(),
    expiresAt: new Date(clock.now() + lifetimeSeconds * 1000),
  };
  return await db.transaction(async (tx) => {
    await uploadStore.lockAccount(tx, account.id);
    expectAllowed(await uploadStore.unused(tx, account.id), account.plan, upload.sizeBytes);
    return await uploadStore.insert(tx, upload);
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
