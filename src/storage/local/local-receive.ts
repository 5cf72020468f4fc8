import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { isObjectKey } from '../object-key.ts';
import { NoSuchUpload } from '../object-store.ts';
import { isDiskFault } from './disk-fault.ts';
import { makeDirectory } from './durable-file.ts';
import { isSessionOpen, storePart } from './local-parts.ts';
import { LocalRefusal } from './local-refusal.ts';
import { isLocalSignature, type LocalGrant } from './local-signature.ts';
import type { LocalStore } from './local-store.ts';
import { receiveUpload, type UploadDraft } from './upload-draft.ts';

/** A request as it came to the local storage's door; nothing of it is trusted yet. */
export interface LocalPut {
  method: string;
  key: string;
  query: Readonly<Record<string, unknown>>;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Readable;
}

/** Whether the upload of a key may still be sent: once a job uses it, its bytes stay as they are. */
export type IsOpenUpload = (key: string) => Promise<boolean>;

/** Takes the bytes of a signed PUT and answers with their quoted ETag, or throws LocalRefusal. */
export async function receiveLocalPut(
  { store, isOpenUpload }: { store: LocalStore; isOpenUpload: IsOpenUpload },
  put: LocalPut,
): Promise<string> {
  const grant = grantOf(store, put);
  const expectedMd5 = contentMd5(put.headers['content-md5']);
  await expectRoom(store, grant);
  await expectOpen(isOpenUpload, grant);
  const draft = await draftOf(store, put);
  try {
    if (draft.sizeBytes !== grant.sizeBytes) throw new LocalRefusal('IncompleteBody');
    if (expectedMd5 && !expectedMd5.equals(draft.md5)) throw new LocalRefusal('BadDigest');
    // Again: a job may have been created while the bytes arrived.
    await expectOpen(isOpenUpload, grant);
    await keep(store, grant, draft);
    return `"${draft.md5.toString('hex')}"`;
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

async function expectRoom(store: LocalStore, grant: LocalGrant): Promise<void> {
  const session = sessionOf(grant);
  const [isOpen] = await Promise.all([
    session ? isSessionOpen(store.sessionDir(session)) : true,
    store.check(grant.sizeBytes).catch((error) => {
      throw new LocalRefusal('ServiceUnavailable', error);
    }),
  ]);
  if (!isOpen) throw new LocalRefusal('NoSuchUpload');
}

/** A part has its session, which ends with the completion. */
async function expectOpen(isOpenUpload: IsOpenUpload, grant: LocalGrant): Promise<void> {
  if (sessionOf(grant)) return;
  const isOpen = await isOpenUpload(grant.key).catch((error) => {
    throw new LocalRefusal('ServiceUnavailable', error);
  });
  if (!isOpen) throw new LocalRefusal('UploadInUse');
}

async function draftOf(store: LocalStore, { body }: LocalPut): Promise<UploadDraft> {
  const { incomingDir } = store;
  const { uploadThreads } = store.options;
  return receiveUpload({ incomingDir, uploadThreads }, body).catch((error) => {
    throw isBrokenTransfer(error) ? new LocalRefusal('IncompleteBody', error) : refusalFor(error);
  });
}

async function keep(store: LocalStore, grant: LocalGrant, draft: UploadDraft): Promise<void> {
  const session = sessionOf(grant);
  if (session) return storePart(store.sessionDir(session), grant.partNumber ?? 0, draft);
  const target = store.objectPath(grant.key);
  await makeDirectory(dirname(target));
  await draft.moveTo(target);
}

function sessionOf({ key, uploadId }: LocalGrant): { key: string; uploadId: string } | undefined {
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
