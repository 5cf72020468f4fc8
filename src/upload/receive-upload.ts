import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Account } from '../account/account.ts';
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { labelOf } from '../contract/label.ts';
import type { UploadReference } from '../contract/transcription.ts';
import { acceptedType } from '../media/accepted-media.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { DiskBudget } from '../platform/disk/disk-budget.ts';
import { uploadKey } from '../storage/object-key.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { orUnavailable } from './owned-multipart.ts';
import type { Upload } from './upload.ts';
import { expectAllowed, expectBytesAllowed, largerThanAllowed, unsupportedName } from './upload-refusal.ts';
import { withReservation } from './upload-reservation.ts';
import { uploadStore } from './upload-store.ts';

export interface ReceiveUploadDeps {
  db: Pick<Database, 'query' | 'transaction'>;
  stores: ObjectStores;
  clock: Clock;
  disk: DiskBudget;
}

export interface ReceivedFile {
  filename: string;
  contentType: string | null;
  /** At most so many bytes come, as far as the sender has told. */
  sizeBytesMax?: number | undefined;
  body: AsyncIterable<Buffer>;
}

export interface ReceivedUpload {
  /** As a client would name an upload that it had prepared. */
  reference: UploadReference;
  /** SHA-256 of the bytes. */
  contentHash: Buffer;
  /** Erases it, unless a job uses it by now. */
  discard(): Promise<void>;
}

/** As long as a request may take; afterwards the sweep looks after what is left. */
const lifetimeSeconds = 4 * 3600;
/** What a file counts for at first where its sender does not tell its size. */
const stepBytes = 16 * 1024 * 1024;

/**
 * A file in the body of a request goes to the store piece by piece, under a row of its own as every upload: a process
 * that dies leaves nothing that the sweep does not find. What it is made of is verified when a job is created from it.
 */
export async function receiveUpload(
  deps: ReceiveUploadDeps,
  { account }: Principal,
  file: ReceivedFile,
): Promise<ReceivedUpload> {
  const { plan } = account;
  const contentType = acceptedType(file.filename, file.contentType);
  if (contentType === undefined) throw unsupportedName(file.filename, file.contentType);
  const sizeBytes = Math.min(file.sizeBytesMax ?? stepBytes, plan.fileBytesMax);
  const upload = await insertUpload(deps, account, { filename: file.filename, contentType, sizeBytes });
  const discard = () => discardUpload(deps, upload);
  try {
    const measured = new MeasuredBody(file.body, {
      coveredBytes: sizeBytes,
      coveredBytesMax: plan.fileBytesMax,
      cover: (bytes) => growUpload(deps, account, { id: upload.id, ...bytes }),
      refusal: () => largerThanAllowed(plan),
    });
    await orUnavailable(deps.stores.current.write(upload.key, Readable.from(measured), sizeBytes));
    return { ...(await settled(deps, upload, measured)), discard };
  } catch (error) {
    // The first fault is the one to tell; what cannot be erased now is left to the sweep.
    await discard().catch(() => {});
    throw error;
  }
}

async function settled(
  { db }: ReceiveUploadDeps,
  { id, filename, key, storage, contentType }: Upload,
  measured: MeasuredBody,
): Promise<Pick<ReceivedUpload, 'reference' | 'contentHash'>> {
  const { sizeBytes } = measured;
  if (sizeBytes === 0) throw new ApiError('empty_upload', { message: 'The file has no bytes.' });
  if (!(await uploadStore.settleSize(db, { id, sizeBytes }))) throw new ApiError('upload_not_found');
  return { reference: { filename, key, storage, sizeBytes, contentType }, contentHash: measured.hash() };
}

async function insertUpload(
  deps: ReceiveUploadDeps,
  account: Account,
  { filename, contentType, sizeBytes }: { filename: string; contentType: string; sizeBytes: number },
): Promise<Upload> {
  const { db, stores, clock } = deps;
  const id = randomUUID();
  const upload = {
    id,
    accountId: account.id,
    storage: stores.current.id,
    key: uploadKey(account.id, id),
    filename: labelOf(filename, 'upload'),
    contentType,
    sizeBytes,
    // Nothing is promised: the store makes sure of the room while it writes.
    receivedBytes: sizeBytes,
    partSizeBytes: null,
    createdAt: clock.date(),
    expiresAt: new Date(clock.now() + lifetimeSeconds * 1000),
  };
  const insert = async () => {
    await orUnavailable(stores.current.check());
    return await db.transaction(async (tx) => {
      await uploadStore.lockAccount(tx, account.id);
      expectAllowed(await uploadStore.unused(tx, account.id), account.plan, sizeBytes);
      return await uploadStore.insert(tx, upload);
    });
  };
  const wanted = { accountId: account.id, sizeBytes };
  return await (stores.current.id === 'local' ? withReservation(deps, wanted, insert) : insert());
}

/** More of it has come than its row counts for the account. */
async function growUpload(
  { db }: ReceiveUploadDeps,
  { id: accountId, plan }: Account,
  { id, fromBytes, toBytes }: { id: string; fromBytes: number; toBytes: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    await uploadStore.lockAccount(tx, accountId);
    expectBytesAllowed(await uploadStore.unused(tx, accountId), plan, toBytes - fromBytes);
    await uploadStore.settleSize(tx, { id, sizeBytes: toBytes });
  });
}

async function discardUpload(
  { db, stores, clock }: ReceiveUploadDeps,
  { id, key, storage }: Upload,
): Promise<void> {
  if (!(await uploadStore.discard(db, { id, at: clock.date() }))) return;
  await stores.get(storage)?.delete(key);
  await uploadStore.markErased(db, { id, at: clock.date() });
}

interface Cover {
  /** What the row of the upload counts for. */
  coveredBytes: number;
  coveredBytesMax: number;
  cover(bytes: { fromBytes: number; toBytes: number }): Promise<void>;
  refusal(): ApiError;
}

/** Passes a body on, counts and hashes it, and ends where the plan does. */
class MeasuredBody implements AsyncIterable<Buffer> {
  readonly #body: AsyncIterable<Buffer>;
  readonly #cover: Cover;
  readonly #hash = createHash('sha256');
  sizeBytes = 0;

  constructor(body: AsyncIterable<Buffer>, cover: Cover) {
    this.#body = body;
    this.#cover = { ...cover };
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    for await (const bytes of this.#body) {
      this.sizeBytes += bytes.length;
      if (this.sizeBytes > this.#cover.coveredBytes) await this.#grow();
      this.#hash.update(bytes);
      yield bytes;
    }
  }

  /** Doubles, so that a large file takes few statements. */
  async #grow(): Promise<void> {
    const { coveredBytes: fromBytes, coveredBytesMax, cover, refusal } = this.#cover;
    if (this.sizeBytes > coveredBytesMax) throw refusal();
    const toBytes = Math.min(coveredBytesMax, Math.max(2 * fromBytes, this.sizeBytes));
    await cover({ fromBytes, toBytes });
    this.#cover.coveredBytes = toBytes;
  }

  hash(): Buffer {
    return this.#hash.digest();
  }
}
