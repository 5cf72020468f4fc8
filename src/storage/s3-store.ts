import type { Readable } from 'node:stream';
import { type ListObjectsV2CommandOutput, type ListPartsCommandOutput, S3 } from '@aws-sdk/client-s3';
import type { Clock } from '../platform/clock.ts';
import { isOwnerPrefix, playbackPrefix, workPrefix } from './object-key.ts';
import {
  type CompleteMultipart,
  InvalidParts,
  type ListedObject,
  type MultipartSession,
  NoSuchObject,
  NoSuchUpload,
  type ObjectStore,
  type ReadOptions,
  type SignedPut,
  StorageUnavailable,
  type StoredObject,
  type StoredPart,
  type UploadedPart,
} from './object-store.ts';
import { missingBucket, s3Fault } from './s3-faults.ts';
import { type S3Address, type S3Credentials, S3Presigner } from './s3-presign.ts';
import { expectParts, expectPlan } from './stored-parts.ts';
import { blocksOf } from './stream-blocks.ts';

/** Without a key the SDK finds credentials by itself: a role of the machine, the container or the service account. */
export interface S3StoreOptions extends S3Address, Partial<Record<keyof S3Credentials, string | undefined>> {
  clock: Clock;
}

/** With two attempts a store that is down shows within a few seconds. */
const connectTimeoutMs = 1_500;
const answerTimeoutMs = 4_000;
/** Joining hundreds of parts, or taking a block of work audio, may take the store longer. */
const longAnswerTimeoutMs = 60_000;
const idleTimeoutMs = 120_000;
const healthKeptMs = 5_000;
/** Memory of one write; S3's least part is 5 MiB. */
const writeBlockBytes = 8 * 1024 * 1024;
/** Of up to 1,000 unfinished uploads each. */
const abortedPagesMax = 100;

interface SendOptions {
  abortSignal: AbortSignal;
}

/** Any S3-compatible store. */
export class S3Store implements ObjectStore {
  readonly id = 's3';
  readonly #s3: S3;
  readonly #presigner: S3Presigner;
  readonly #bucket: string;
  readonly #clock: Clock;
  #faults = 0;
  #health: { untilMs: number; answer: Promise<void> } | undefined;

  constructor(options: S3StoreOptions) {
    const { endpoint, region, bucket, forcePathStyle, accessKeyId, secretAccessKey, clock } = options;
    const { sessionToken } = options;
    this.#bucket = bucket;
    this.#clock = clock;
    this.#presigner = new S3Presigner(options);
    this.#s3 = new S3({
      ...(endpoint === undefined ? {} : { endpoint }),
      region,
      forcePathStyle,
      ...(accessKeyId === undefined || secretAccessKey === undefined
        ? {}
        : {
            credentials: {
              accessKeyId,
              secretAccessKey,
              ...(sessionToken === undefined ? {} : { sessionToken }),
            },
          }),
      maxAttempts: 2,
      // Otherwise the SDK adds checksums that many S3-compatible stores refuse.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: connectTimeoutMs, socketTimeout: idleTimeoutMs },
    });
  }

  /** How often the store was not available, since the start. */
  get faults(): number {
    return this.#faults;
  }

  async signPut(target: {
    key: string;
    sizeBytes: number;
    contentType: string;
    expiresInSeconds: number;
  }): Promise<SignedPut> {
    const { key, sizeBytes, contentType, expiresInSeconds } = target;
    const headers = { 'content-length': String(sizeBytes), 'content-type': contentType };
    const credentials = await this.#credentials();
    const date = this.#clock.date();
    const url = this.#presigner.put({ key, headers, expiresInSeconds, date, credentials });
    return { url, headers: { 'Content-Type': contentType } };
  }

  async signGet({
    key,
    contentType,
    expiresInSeconds,
  }: {
    key: string;
    contentType: string;
    expiresInSeconds: number;
  }): Promise<string> {
    // The store answers with this type, whatever the object was stored with.
    const query = { 'response-content-type': contentType };
    const credentials = await this.#credentials();
    const date = this.#clock.date();
    return this.#presigner.get({ key, query, headers: {}, expiresInSeconds, date, credentials });
  }

  async startMultipart({ key, contentType }: { key: string; contentType: string }): Promise<string> {
    const input = { ...this.#object(key), ContentType: contentType };
    const { UploadId } = await this.#ask((options) => this.#s3.createMultipartUpload(input, options));
    if (!UploadId) throw new StorageUnavailable('the object store gave no upload id');
    return UploadId;
  }

  async signPart(
    part: MultipartSession & { partNumber: number; sizeBytes: number; expiresInSeconds: number },
  ): Promise<string> {
    return this.#presigner.put({
      key: part.key,
      query: { partNumber: String(part.partNumber), uploadId: part.uploadId },
      headers: { 'content-length': String(part.sizeBytes) },
      expiresInSeconds: part.expiresInSeconds,
      date: this.#clock.date(),
      credentials: await this.#credentials(),
    });
  }

  /** Those of the SDK, which renews them in time. */
  async #credentials(): Promise<S3Credentials> {
    return await this.#s3.config.credentials().catch((error: unknown) => {
      throw this.#fault(error);
    });
  }

  async listParts(session: MultipartSession): Promise<StoredPart[]> {
    try {
      return await this.#storedParts(session);
    } catch (error) {
      if (error instanceof NoSuchObject)
        throw new NoSuchUpload('the session does not exist', { cause: error });
      throw error;
    }
  }

  async completeMultipart(completion: CompleteMultipart): Promise<void> {
    expectPlan(completion);
    try {
      // Stores differ in what they check (some take parts in the wrong order), so the comparison is ours.
      expectParts(await this.#storedParts(completion), completion);
      await this.#commit(completion, completion.parts);
    } catch (error) {
      if (error instanceof InvalidParts) throw error;
      // Joined before, by a request whose answer was lost or by one at the same moment: stores answer variously then.
      if (await this.#isCommitted(completion)) return;
      throw error instanceof NoSuchObject
        ? new NoSuchUpload('the session does not exist', { cause: error })
        : error;
    }
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const found = await this.#ask((options) => this.#s3.headObject(this.#object(key), options)).catch(
      ignoreMissing,
    );
    // The answer to HEAD has no body, so a missing bucket looks like a missing object.
    if (!found) await this.#expectBucket();
    return found && { sizeBytes: found.ContentLength ?? 0, etag: found.ETag ?? '' };
  }

  async read(key: string, { range, etag }: ReadOptions = {}): Promise<Readable> {
    const wanted = {
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
      ...(etag !== undefined && { IfMatch: etag }),
    };
    // The limit is for the beginning of the answer; afterwards only silence ends it.
    const limit = new AbortController();
    const answered = new AbortController();
    this.#clock.sleep(answerTimeoutMs, answered.signal).then(
      () => limit.abort(),
      () => {},
    );
    try {
      const input = { ...this.#object(key), ...wanted };
      const { Body } = await this.#s3.getObject(input, { abortSignal: limit.signal });
      return Body as Readable;
    } catch (error) {
      throw this.#fault(error);
    } finally {
      answered.abort();
    }
  }

  async write(key: string, source: Readable | Buffer): Promise<void> {
    const blocks = blocksOf(source, writeBlockBytes);
    const first = await blocks.next();
    const firstBlock: Buffer = first.done ? Buffer.alloc(0) : first.value;
    if (firstBlock.length < writeBlockBytes) {
      const input = { ...this.#object(key), Body: firstBlock };
      await this.#ask((options) => this.#s3.putObject(input, options), longAnswerTimeoutMs);
      return;
    }
    const uploadId = await this.startMultipart({ key, contentType: 'application/octet-stream' });
    try {
      await this.#commit({ key, uploadId }, await this.#writeParts({ key, uploadId }, firstBlock, blocks));
    } catch (error) {
      await this.#abort({ key, uploadId }).catch(() => {}); // The first fault is the one to tell.
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    // First the sessions, then the object: a commit at the same moment either fails or is undone.
    const input = { Bucket: this.#bucket, Prefix: key };
    const { Uploads = [] } = await this.#ask((options) => this.#s3.listMultipartUploads(input, options));
    for (const { Key, UploadId } of Uploads) {
      if (Key === key && UploadId) await this.#abort({ key, uploadId: UploadId });
    }
    await this.#remove(key);
  }

  async deleteAll(prefix: string): Promise<void> {
    if (!isOwnerPrefix(prefix)) throw new Error('not the prefix of an account or a job');
    await this.#abortAll(prefix);
    for await (const { key } of this.list(prefix)) await this.#remove(key);
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    let next: { ContinuationToken?: string } | undefined = {};
    while (next) {
      const input = { Bucket: this.#bucket, Prefix: prefix, ...next };
      const page: ListObjectsV2CommandOutput = await this.#ask((options) =>
        this.#s3.listObjectsV2(input, options),
      );
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key && LastModified) yield { key: Key, modifiedAt: LastModified };
      }
      next = page.NextContinuationToken ? { ContinuationToken: page.NextContinuationToken } : undefined;
    }
  }

  async removeLeftovers(before: Date): Promise<number> {
    let removed = 0;
    const writes = await Promise.all(
      [workPrefix, playbackPrefix].map((Prefix) =>
        this.#ask((options) => this.#s3.listMultipartUploads({ Bucket: this.#bucket, Prefix }, options)),
      ),
    );
    for (const { Key, UploadId, Initiated } of writes.flatMap(({ Uploads = [] }) => Uploads)) {
      if (!Key || !UploadId || !Initiated || Initiated >= before) continue;
      await this.#abort({ key: Key, uploadId: UploadId });
      removed += 1;
    }
    return removed;
  }

  /** Asks the store at most every few seconds, however many uploads are prepared. */
  async check(): Promise<void> {
    if (this.#health && this.#clock.now() < this.#health.untilMs) return this.#health.answer;
    const answer = this.#expectBucket().catch((error) => {
      this.#health = undefined;
      throw error;
    });
    this.#health = { untilMs: this.#clock.now() + healthKeptMs, answer };
    return answer;
  }

  close(): void {
    this.#s3.destroy();
  }

  async #expectBucket(): Promise<void> {
    await this.#ask((options) => this.#s3.headBucket({ Bucket: this.#bucket }, options)).catch((error) => {
      throw error instanceof NoSuchObject ? missingBucket(error) : error;
    });
  }

  #object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#bucket, Key: key };
  }

  #fault(error: unknown): Error {
    const fault = s3Fault(error);
    if (fault instanceof StorageUnavailable) this.#faults += 1;
    return fault;
  }

  async #ask<Answer>(
    request: (options: SendOptions) => Promise<Answer>,
    timeoutMs = answerTimeoutMs,
  ): Promise<Answer> {
    try {
      return await request({ abortSignal: this.#clock.timeout(timeoutMs) });
    } catch (error) {
      throw this.#fault(error);
    }
  }

  async #remove(key: string): Promise<void> {
    await this.#ask((options) => this.#s3.deleteObject(this.#object(key), options)).catch(ignoreMissing);
  }

  async #abort({ key, uploadId }: MultipartSession): Promise<void> {
    const input = { ...this.#object(key), UploadId: uploadId };
    await this.#ask((options) => this.#s3.abortMultipartUpload(input, options)).catch(ignoreMissing);
  }

  /** What was aborted is not listed again, so every page is the first one. */
  async #abortAll(prefix: string): Promise<void> {
    for (let pages = 0; pages < abortedPagesMax; pages += 1) {
      const input = { Bucket: this.#bucket, Prefix: prefix };
      const page = await this.#ask((options) => this.#s3.listMultipartUploads(input, options));
      for (const { Key, UploadId } of page.Uploads ?? []) {
        if (Key && UploadId) await this.#abort({ key: Key, uploadId: UploadId });
      }
      if (!page.IsTruncated) return;
    }
    throw new StorageUnavailable('the object store keeps listing uploads that were aborted');
  }

  async #storedParts({ key, uploadId }: MultipartSession): Promise<StoredPart[]> {
    const parts: StoredPart[] = [];
    let marker: string | undefined = '0';
    while (marker !== undefined) {
      const input = { ...this.#object(key), UploadId: uploadId, PartNumberMarker: marker };
      const page: ListPartsCommandOutput = await this.#ask((options) => this.#s3.listParts(input, options));
      for (const { PartNumber = 0, ETag = '', Size = 0 } of page.Parts ?? []) {
        parts.push({ partNumber: PartNumber, etag: ETag, sizeBytes: Size });
      }
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    }
    return parts;
  }

  async #writeParts(
    { key, uploadId }: MultipartSession,
    firstBlock: Buffer,
    rest: AsyncIterable<Buffer>,
  ): Promise<UploadedPart[]> {
    const parts: UploadedPart[] = [];
    const writePart = async (block: Buffer) => {
      const partNumber = parts.length + 1;
      const input = { ...this.#object(key), UploadId: uploadId, PartNumber: partNumber, Body: block };
      const { ETag = '' } = await this.#ask(
        (options) => this.#s3.uploadPart(input, options),
        longAnswerTimeoutMs,
      );
      parts.push({ partNumber, etag: ETag });
    };
    await writePart(firstBlock);
    for await (const block of rest) await writePart(block);
    return parts;
  }

  async #commit({ key, uploadId }: MultipartSession, parts: readonly UploadedPart[]): Promise<void> {
    const input = {
      ...this.#object(key),
      UploadId: uploadId,
      MultipartUpload: {
        Parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })),
      },
    };
    await this.#ask((options) => this.#s3.completeMultipartUpload(input, options), longAnswerTimeoutMs);
  }

  /** A lost answer: the session is gone because it became this object. Its key belongs to one session only. */
  async #isCommitted({ key, partSizesBytes }: CompleteMultipart): Promise<boolean> {
    const found = await this.head(key);
    return found?.sizeBytes === partSizesBytes.reduce((sum, size) => sum + size, 0);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof NoSuchObject || error instanceof NoSuchUpload)) throw error;
}
