import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { access, constants, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import type { DiskBudget, DiskReservation } from '../../platform/disk/disk-budget.ts';
import { isObjectKey, isOwnerPrefix, uploadPrefix } from '../object-key.ts';
import {
  type CompleteMultipart,
  type ListedObject,
  type MultipartUpload,
  NoSuchObject,
  ObjectChanged,
  type ObjectStore,
  type ReadOptions,
  type SignedPut,
  type StoredObject,
  type StoredPart,
} from '../object-store.ts';
import { available, diskIsFull } from './disk-fault.ts';
import { makeDirectory, receiveDraft } from './durable-file.ts';
import { commitMultipart, multipartParts, openMultipart, readManifest, readParts } from './local-parts.ts';
import { type LocalGrant, localSignature } from './local-signature.ts';
import type { UploadThreads } from './upload-threads.ts';

export interface LocalStoreOptions {
  directory: string;
  signingKey: Buffer;
  clock: Clock;
  uploadThreads: UploadThreads;
  /** Of the disk that the directory is on. */
  disk: DiskBudget;
}

/** The path of signed PUTs on the service's own address. */
export const localObjectsPath = '/objects';

/** Read at once: the samples of a chunk in one piece, a long file in few. */
const readBytes = 1024 * 1024;

/** Objects as files under the data directory, behind URLs that this service signs and serves itself. */
export class LocalStore implements ObjectStore {
  readonly id = 'local';
  readonly options: LocalStoreOptions;
  readonly signingKey: KeyObject;

  constructor(options: LocalStoreOptions) {
    this.options = options;
    this.signingKey = createSecretKey(options.signingKey);
  }

  get incomingDir(): string {
    return join(this.options.directory, 'incoming');
  }

  multipartDir({ key, uploadId }: MultipartUpload): string {
    return join(this.#multipartsOf(key), checkedUploadId(uploadId));
  }

  objectPath(key: string): string {
    return join(this.options.directory, 'objects', checkedKey(key));
  }

  async signPut(target: {
    key: string;
    sizeBytes: number;
    contentType: string;
    expiresInSeconds: number;
  }): Promise<SignedPut> {
    const { key, sizeBytes, contentType } = target;
    const expiresAt = this.#expiry(target.expiresInSeconds);
    const url = this.#sign({
      method: 'PUT',
      key,
      sizeBytes,
      contentType,
      uploadId: undefined,
      partNumber: undefined,
      expiresAt,
    });
    return { url, headers: { 'Content-Type': contentType } };
  }

  async startMultipart({ key }: { key: string; contentType: string }): Promise<string> {
    const uploadId = randomUUID();
    await available(openMultipart(this.multipartDir({ key, uploadId })));
    return uploadId;
  }

  async signPart(
    part: MultipartUpload & { partNumber: number; sizeBytes: number; expiresInSeconds: number },
  ): Promise<string> {
    const { key, uploadId, partNumber, sizeBytes } = part;
    const expiresAt = this.#expiry(part.expiresInSeconds);
    return this.#sign({
      method: 'PUT',
      key,
      sizeBytes,
      contentType: undefined,
      uploadId,
      partNumber,
      expiresAt,
    });
  }

  async listParts(multipart: MultipartUpload): Promise<StoredPart[]> {
    return available(multipartParts(this.multipartDir(multipart)));
  }

  async completeMultipart(completion: CompleteMultipart): Promise<void> {
    const dirs = {
      multipartDir: this.multipartDir(completion),
      objectPath: this.objectPath(completion.key),
      incomingDir: this.incomingDir,
    };
    await available(commitMultipart(dirs, completion));
  }

  /** Its objects have no address of their own: whoever asks is known to the service first. */
  async signGet(): Promise<undefined> {}

  async head(key: string): Promise<StoredObject | undefined> {
    const path = this.objectPath(key);
    const found = await available(stat(path, { bigint: true }).catch(ignoreMissing));
    if (!found?.isDirectory()) return found && storedFile(found);
    const manifest = await available(readManifest(path));
    return manifest && { sizeBytes: manifest.sizeBytes, etag: manifest.etag };
  }

  async read(key: string, { range, etag }: ReadOptions = {}): Promise<Readable> {
    const path = this.objectPath(key);
    const manifest = await available(readManifest(path));
    if (manifest) {
      expectEtag(manifest, etag);
      return readParts(path, manifest, range ?? { start: 0, end: manifest.sizeBytes - 1 });
    }
    const file = await available(open(path).catch(ignoreMissing));
    if (!file) throw new NoSuchObject('the object does not exist');
    try {
      expectEtag(storedFile(await available(file.stat({ bigint: true }))), etag);
    } catch (error) {
      await file.close();
      throw error;
    }
    return file.createReadStream({ ...range, highWaterMark: readBytes });
  }

  async write(key: string, source: Readable | Buffer, expectedBytes = 0): Promise<void> {
    const path = this.objectPath(key);
    await available(makeDirectory(this.incomingDir));
    const sizeBytes = Buffer.isBuffer(source) ? source.length : expectedBytes;
    const reservation = await available(this.options.disk.reserve(sizeBytes));
    try {
      const covered = Buffer.isBuffer(source) ? source : coveredBy(reservation, source);
      const draft = await available(receiveDraft(this.incomingDir, covered));
      // Not before: the directory of a job goes with its last object, also while the next one is being written.
      await available(makeDirectory(dirname(path)));
      await available(draft.moveTo(path));
    } finally {
      reservation.release();
    }
  }

  async delete(key: string): Promise<void> {
    // First multipart uploads, then the object: a commit at the same moment either fails or is undone.
    await available(this.#throwAway(this.#multipartsOf(key)));
    await available(this.#throwAway(this.objectPath(key)));
    // The directory of a job bears its id, and no other job writes there.
    if (!key.startsWith(uploadPrefix)) await rmdir(dirname(this.objectPath(key))).catch(() => {});
  }

  async deleteAll(prefix: string): Promise<void> {
    if (!isOwnerPrefix(prefix)) throw new Error('not the prefix of an account or a job');
    const multipartsDir = join(this.options.directory, 'sessions');
    const multiparts = (await readdir(multipartsDir).catch(ignoreMissing)) ?? [];
    const ours = multiparts.filter((name) => name.startsWith(prefix.replaceAll('/', '.')));
    for (const name of ours) await available(this.#throwAway(join(multipartsDir, name)));
    await available(this.#throwAway(join(this.options.directory, 'objects', prefix)));
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    yield* this.#walk(prefix.replace(/\/$/, ''));
  }

  async check(sizeBytes = 0): Promise<void> {
    await available(makeDirectory(this.incomingDir));
    const [freeBytes] = await Promise.all([
      available(this.options.disk.freeBytes()),
      available(access(this.incomingDir, constants.W_OK)),
    ]);
    if (freeBytes < sizeBytes) throw diskIsFull();
  }

  async removeLeftovers(before: Date): Promise<number> {
    const names = (await readdir(this.incomingDir).catch(ignoreMissing)) ?? [];
    let removed = 0;
    for (const name of names) {
      const path = join(this.incomingDir, name);
      // A transfer that still moves has a fresh time of change.
      const draft = await stat(path).catch(ignoreMissing);
      if (!draft || draft.mtime >= before) continue;
      await rm(path, { recursive: true, force: true });
      removed += 1;
    }
    return removed;
  }

  /** Gone at once by a rename; the bytes follow. */
  async #throwAway(path: string): Promise<void> {
    await makeDirectory(this.incomingDir);
    const rest = join(this.incomingDir, randomUUID());
    const moved = await rename(path, rest).then(() => true, ignoreMissing);
    if (moved) await rm(rest, { recursive: true, force: true });
  }

  async *#walk(path: string): AsyncIterable<ListedObject> {
    const directory = join(this.options.directory, 'objects', path);
    const entries = (await readdir(directory, { withFileTypes: true }).catch(ignoreMissing)) ?? [];
    for (const entry of entries) {
      const key = `${path}/${entry.name}`;
      if (!isObjectKey(key)) {
        if (entry.isDirectory()) yield* this.#walk(key);
        continue;
      }
      const found = await stat(this.objectPath(key)).catch(ignoreMissing);
      if (found) yield { key, modifiedAt: found.mtime };
    }
  }

  #multipartsOf(key: string): string {
    // One level for all keys: every new directory has to reach the disk before a part may be acknowledged.
    return join(this.options.directory, 'sessions', checkedKey(key).replaceAll('/', '.'));
  }

  #expiry(seconds: number): number {
    return Math.floor(this.options.clock.now() / 1000) + seconds;
  }

  /** A path on the service's own address. Nothing in it needs escaping: keys, ids, numbers and hexadecimal digits. */
  #sign(grant: LocalGrant): string {
    const part =
      grant.uploadId === undefined ? '' : `uploadId=${grant.uploadId}&partNumber=${grant.partNumber}&`;
    const signature = localSignature(this.signingKey, grant);
    const path = `${localObjectsPath}/${checkedKey(grant.key)}`;
    return `${path}?${part}expires=${grant.expiresAt}&signature=${signature}`;
  }
}

/** Passes everything on for which there is space. */
async function* coveredBy(reservation: DiskReservation, source: Readable): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of source as AsyncIterable<Buffer>) {
    reservation.written(bytes);
    bytes += part.length;
    await reservation.cover(bytes);
    yield part;
  }
}

const uploadIdPattern = /^[0-9a-f-]{36}$/;

function checkedUploadId(uploadId: string): string {
  if (!uploadIdPattern.test(uploadId)) throw new Error('not an upload id of the local storage');
  return uploadId;
}

function checkedKey(key: string): string {
  if (!isObjectKey(key)) throw new Error('not an object key');
  return key;
}

/** A file is replaced by renaming another one to its name, which was written at another time. */
function storedFile({ size, mtimeNs }: BigIntStats): StoredObject {
  return { sizeBytes: Number(size), etag: `${mtimeNs.toString(16)}-${size.toString(16)}` };
}

function expectEtag({ etag }: { etag: string }, wanted: string | undefined): void {
  if (wanted !== undefined && wanted !== etag) throw new ObjectChanged('the object was replaced');
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}
