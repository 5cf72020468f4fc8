import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import type { DiskReservation } from '../../platform/disk/disk-budget.ts';
import { isObjectKey } from '../object-key.ts';
import { NoSuchUpload } from '../object-store.ts';
import { isDiskFault } from './disk-fault.ts';
import { makeDirectory } from './durable-file.ts';
import { isMultipartOpen, storePart } from './local-parts.ts';
import { LocalRefusal } from './local-refusal.ts';
import { isLocalSignature, type LocalGrant } from './local-signature.ts';
import type { LocalStore } from './local-store.ts';
import { receiveUpload, type UploadDraft } from './upload-draft.ts';
import type { UploadHash } from './upload-threads.ts';

/** A request as it came to the local storage; nothing of it is trusted yet. */
export interface LocalPut {
  method: string;
  key: string;
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readable;
}

/** What is known of the uploads that signed URLs were given for. */
export interface GrantedUploads {
  /** Whether the upload of a key may still be sent: once a job uses it, its bytes stay as they are. */
  isOpen(key: string): Promise<boolean>;
  /** Bytes have been stored for it. False when it was deleted meanwhile. */
  markReceived(received: { key: string; bytes: number }): Promise<boolean>;
}

/** Takes the bytes of a signed PUT and answers with their quoted ETag, or throws LocalRefusal. */
export async function receiveLocalPut(
  { store, uploads }: { store: LocalStore; uploads: GrantedUploads },
  put: LocalPut,
): Promise<string> {
  const grant = grantOf(store, put);
  const expectedMd5 = contentMd5(put.headers['content-md5']);
  await expectMultipart(store, grant);
  await expectOpen(uploads, grant);
  const reservation = await reservationFor(store, grant);
  try {
    return await receive({ store, uploads, reservation }, grant, { put, expectedMd5 });
  } finally {
    reservation.release();
  }
}

async function receive(
  {
    store,
    uploads,
    reservation,
  }: { store: LocalStore; uploads: GrantedUploads; reservation: DiskReservation },
  grant: LocalGrant,
  { put, expectedMd5 }: { put: LocalPut; expectedMd5: Buffer | undefined },
): Promise<string> {
  const hash = expectedMd5 || !multipartOf(grant) ? 'md5' : 'sha1';
  const draft = await draftOf(store, { body: put.body, hash }, reservation);
  try {
    if (draft.sizeBytes !== grant.sizeBytes) throw new LocalRefusal('IncompleteBody');
    if (expectedMd5 && !expectedMd5.equals(draft.digest)) throw new LocalRefusal('BadDigest');
    // Again: a job may have been created while the bytes arrived.
    await expectOpen(uploads, grant);
    await keep(store, grant, draft);
    await note(store, uploads, grant);
    return `"${draft.digest.toString('hex')}"`;
  } catch (error) {
    await draft.discard();
    throw refusalFor(error);
  }
}

/** What the URL and its signature allow; the client's own headers are part of what was signed. */
function grantOf(store: LocalStore, { method, key, query, headers }: LocalPut): LocalGrant {
  if (headers.authorization !== undefined) throw new LocalRefusal('InvalidArgument');
  const { signature, expires } = query;
  if (typeof signature !== 'string' || typeof expires !== 'string' || !isObjectKey(key)) {
    throw new LocalRefusal('AccessDenied');
  }
  const length = headers['content-length'];
  if (method === 'PUT' && length === undefined) throw new LocalRefusal('MissingContentLength');
  const isPart = query.uploadId !== undefined || query.partNumber !== undefined;
  const grant: LocalGrant = {
    method,
    key,
    sizeBytes: Number(length),
    contentType: isPart ? undefined : String(headers['content-type'] ?? ''),
    uploadId: isPart ? String(query.uploadId) : undefined,
    partNumber: isPart ? Number(query.partNumber) : undefined,
    expiresAt: Number(expires),
  };
  if (!isLocalSignature(store.signingKey, grant, signature)) throw new LocalRefusal('SignatureDoesNotMatch');
  if (store.options.clock.now() >= grant.expiresAt * 1000) throw new LocalRefusal('RequestExpired');
  return grant;
}

function contentMd5(header: string | string[] | undefined): Buffer | undefined {
  if (header === undefined) return undefined;
  const digest = Buffer.from(String(header), 'base64');
  if (digest.length !== 16) throw new LocalRefusal('InvalidDigest');
  return digest;
}

async function expectMultipart(store: LocalStore, grant: LocalGrant): Promise<void> {
  const multipart = multipartOf(grant);
  if (multipart && !(await isMultipartOpen(store.multipartDir(multipart))))
    throw new LocalRefusal('NoSuchUpload');
}

/** The URL promised the space, but the disk may have become full since. */
async function reservationFor(store: LocalStore, { sizeBytes }: LocalGrant): Promise<DiskReservation> {
  try {
    await makeDirectory(store.incomingDir);
    return await store.options.disk.receive(sizeBytes);
  } catch (error) {
    throw new LocalRefusal('ServiceUnavailable', error);
  }
}

/** Whoever deletes an upload looks for its bytes first and they came after that: then they go again. */
async function note(store: LocalStore, uploads: GrantedUploads, grant: LocalGrant): Promise<void> {
  const isWanted = await uploads
    .markReceived({ key: grant.key, bytes: grant.sizeBytes })
    .catch((error: unknown) => {
      throw new LocalRefusal('ServiceUnavailable', error);
    });
  if (isWanted) return;
  await store.delete(grant.key);
  throw new LocalRefusal('AccessDenied');
}

/** A part has its multipart upload, which ends with the completion. */
async function expectOpen(uploads: GrantedUploads, grant: LocalGrant): Promise<void> {
  if (multipartOf(grant)) return;
  const isOpen = await uploads.isOpen(grant.key).catch((error) => {
    throw new LocalRefusal('ServiceUnavailable', error);
  });
  if (!isOpen) throw new LocalRefusal('UploadInUse');
}

async function draftOf(
  store: LocalStore,
  upload: { body: Readable; hash: UploadHash },
  reservation: DiskReservation,
): Promise<UploadDraft> {
  const { incomingDir } = store;
  const { uploadThreads } = store.options;
  return receiveUpload({ incomingDir, uploadThreads, onWritten: reservation.written }, upload).catch(
    (error) => {
      throw isBrokenTransfer(error) ? new LocalRefusal('IncompleteBody', error) : refusalFor(error);
    },
  );
}

async function keep(store: LocalStore, grant: LocalGrant, draft: UploadDraft): Promise<void> {
  const multipart = multipartOf(grant);
  if (multipart) return storePart(store.multipartDir(multipart), grant.partNumber ?? 0, draft);
  const target = store.objectPath(grant.key);
  await makeDirectory(dirname(target));
  await draft.moveTo(target);
}

function multipartOf({ key, uploadId }: LocalGrant): { key: string; uploadId: string } | undefined {
  return uploadId === undefined ? undefined : { key, uploadId };
}

function isBrokenTransfer(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ABORT_ERR';
}

function refusalFor(error: unknown): unknown {
  if (error instanceof NoSuchUpload) return new LocalRefusal('NoSuchUpload', error);
  return isDiskFault(error) ? new LocalRefusal('ServiceUnavailable', error) : error;
}
