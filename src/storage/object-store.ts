import type { Readable } from 'node:stream';

/** The names of the two storages on the wire and in the database. */
export const storageIds = ['local', 's3'] as const;
export type StorageId = (typeof storageIds)[number];

/** What a client needs to PUT one body: exactly this address with exactly these headers. */
export interface SignedPut {
  /** Whole, or a path on the service's own address. */
  url: string;
  headers: Record<string, string>;
}

export interface StoredObject {
  sizeBytes: number;
  /** Opaque. Another one means that the object was replaced. */
  etag: string;
}

export interface ListedObject {
  key: string;
  modifiedAt: Date;
}

/** Inclusive at both ends, as in an HTTP Range header. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface ReadOptions {
  range?: ByteRange;
  /** The object must still be the one that `head` described. */
  etag?: string | undefined;
}

export interface MultipartUpload {
  key: string;
  uploadId: string;
}

/** A part as it is stored. */
export interface StoredPart {
  partNumber: number;
  etag: string;
  sizeBytes: number;
}

export interface UploadedPart {
  partNumber: number;
  /** As the part's PUT answered it; quotes do not matter. */
  etag: string;
}

export interface CompleteMultipart extends MultipartUpload {
  /** Every part, in order. */
  parts: readonly UploadedPart[];
  /** The size each part must have, in the same order. */
  partSizesBytes: readonly number[];
}

/**
 * Where media lives. Bytes of clients come in by signed URLs only; `read` and `write` are for the service's own work.
 * Every call ends within seconds when the store does not answer, with StorageUnavailable.
 */
export interface ObjectStore {
  readonly id: StorageId;
  signPut(target: {
    key: string;
    sizeBytes: number;
    contentType: string;
    expiresInSeconds: number;
  }): Promise<SignedPut>;

  startMultipart(target: { key: string; contentType: string }): Promise<string>;
  signPart(
    part: MultipartUpload & { partNumber: number; sizeBytes: number; expiresInSeconds: number },
  ): Promise<string>;
  /** What has arrived of an unfinished upload. Throws NoSuchUpload. */
  listParts(multipart: MultipartUpload): Promise<StoredPart[]>;
  /** Makes the object out of its parts; repeating it after success is harmless. Throws InvalidParts or NoSuchUpload. */
  completeMultipart(completion: CompleteMultipart): Promise<void>;

  /** A URL by which a browser reads the object from the store itself; undefined where this service serves it. */
  signGet(target: {
    key: string;
    contentType: string;
    expiresInSeconds: number;
  }): Promise<string | undefined>;
  head(key: string): Promise<StoredObject | undefined>;
  /** Throws NoSuchObject or ObjectChanged. */
  read(key: string, options?: ReadOptions): Promise<Readable>;
  /** Appears whole or not at all. Where the size of a stream is about known, room for it is made sure of before. */
  write(key: string, source: Readable | Buffer, expectedBytes?: number): Promise<void>;
  /** Removes the object and every unfinished upload of the same key, parts included; no harm when there is none. */
  delete(key: string): Promise<void>;
  /** The same for everything of one account or one job, by its prefix; not even its name is left. */
  deleteAll(prefix: string): Promise<void>;
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Removes what transfers and writes left behind when their process died before that time; answers how many. */
  removeLeftovers(before: Date): Promise<number>;

  /** Resolves when the store can take an object of this size, else throws StorageUnavailable. */
  check(sizeBytes?: number): Promise<void>;
}

/** The storages that this service can read, and the one that takes new uploads. */
export interface ObjectStores {
  readonly current: ObjectStore;
  get(id: StorageId): ObjectStore | undefined;
}

export function objectStores(current: StorageId, stores: readonly ObjectStore[]): ObjectStores {
  const byId = new Map(stores.map((store) => [store.id, store]));
  const chosen = byId.get(current);
  if (!chosen) throw new Error(`the storage "${current}" is not configured`);
  return { current: chosen, get: (id) => byId.get(id) };
}

export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
}

export class NoSuchObject extends Error {
  override readonly name = 'NoSuchObject';
}

export class ObjectChanged extends Error {
  override readonly name = 'ObjectChanged';
}

export class NoSuchUpload extends Error {
  override readonly name = 'NoSuchUpload';
}

export class InvalidParts extends Error {
  override readonly name = 'InvalidParts';
}
