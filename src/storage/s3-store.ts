import type { Readable } from 'node:stream';
import type { ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import type { Clock } from '../platform/clock.ts';
import { isOwnerPrefix, playbackPrefix, workPrefix } from './object-key.ts';
import {
  type CompleteMultipart,
  InvalidParts,
  type ListedObject,
  type MultipartUpload,
  NoSuchObject,
  NoSuchUpload,
  type ObjectStore,
  type ReadOptions,
  type SignedPut,
  type StoredObject,
  type StoredPart,
  type UploadedPart,
} from './object-store.ts';
import { longAnswerTimeoutMs, S3Bucket, type S3BucketOptions } from './s3-bucket.ts';
import { ignoreMissing } from './s3-faults.ts';
import { S3Multipart } from './s3-multipart.ts';
import { S3Presigner } from './s3-presign.ts';
import { expectParts, expectPlan } from './stored-parts.ts';
import { partsOf } from './stream-parts.ts';

const healthKeptMs = 5_000;
/** Memory of one write; S3's least part is 5 MiB. */
const writePartBytes = 8 * 1024 * 1024;

/** Any S3-compatible store. */
export class S3Store implements ObjectStore {
  readonly id = 's3';
  readonly #bucket: S3Bucket;
  readonly #multipart: S3Multipart;
  readonly #presigner: S3Presigner;
  readonly #clock: Clock;
  #health: { untilMs: number; answer: Promise<void> } | undefined;

  constructor(options: S3BucketOptions) {
    this.#clock = options.clock;
    this.#presigner = new S3Presigner(options);
    this.#bucket = new S3Bucket(options);
    this.#multipart = new S3Multipart(this.#bucket);
  }

  /** How often the store was not available, since the start. */
  get faults(): number {
    return this.#bucket.faults;
  }

  async signPut(target: {
    key: string;
    sizeBytes: number;
    contentType: string;
    expiresInSeconds: number;
  }): Promise<SignedPut> {
    const { key, sizeBytes, contentType, expiresInSeconds } = target;
    const headers = { 'content-length': String(sizeBytes), 'content-type': contentType };
    const credentials = await this.#bucket.credentials();
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
    const credentials = await this.#bucket.credentials();
    const date = this.#clock.date();
    return this.#presigner.get({ key, query, headers: {}, expiresInSeconds, date, credentials });
  }

  async startMultipart({ key, contentType }: { key: string; contentType: string }): Promise<string> {
    return (await this.#multipart.start(key, contentType)).uploadId;
  }

  async signPart(
    part: MultipartUpload & { partNumber: number; sizeBytes: number; expiresInSeconds: number },
  ): Promise<string> {
    return this.#presigner.put({
      key: part.key,
      query: { partNumber: String(part.partNumber), uploadId: part.uploadId },
      headers: { 'content-length': String(part.sizeBytes) },
      expiresInSeconds: part.expiresInSeconds,
      date: this.#clock.date(),
      credentials: await this.#bucket.credentials(),
    });
  }

  async listParts(multipart: MultipartUpload): Promise<StoredPart[]> {
    try {
      return await this.#multipart.storedParts(multipart);
    } catch (error) {
      if (error instanceof NoSuchObject)
        throw new NoSuchUpload('the multipart upload does not exist', { cause: error });
      throw error;
    }
  }

  async completeMultipart(completion: CompleteMultipart): Promise<void> {
    expectPlan(completion);
    try {
      // Stores differ in what they check (some take parts in the wrong order), so the comparison is ours.
      expectParts(await this.#multipart.storedParts(completion), completion);
      await this.#multipart.commit(completion, completion.parts);
    } catch (error) {
      if (error instanceof InvalidParts) throw error;
      // Joined before, by a request whose answer was lost or by one at the same moment: stores answer variously then.
      if (await this.#isCommitted(completion)) return;
      throw error instanceof NoSuchObject
        ? new NoSuchUpload('the multipart upload does not exist', { cause: error })
        : error;
    }
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const found = await this.#bucket
      .ask((s3, options) => s3.headObject(this.#bucket.object(key), options))
      .catch(ignoreMissing);
    // The answer to HEAD has no body, so a missing bucket looks like a missing object.
    if (!found) await this.#bucket.expect();
    return found && { sizeBytes: found.ContentLength ?? 0, etag: found.ETag ?? '' };
  }

  async read(key: string, { range, etag }: ReadOptions = {}): Promise<Readable> {
    const input = {
      ...this.#bucket.object(key),
      ...(range && { Range: `bytes=${range.start}-${range.end}` }),
      ...(etag !== undefined && { IfMatch: etag }),
    };
    const { Body } = await this.#bucket.askForStream((s3, options) => s3.getObject(input, options));
    return Body as Readable;
  }

  async write(key: string, source: Readable | Buffer): Promise<void> {
    const bodies = partsOf(source, writePartBytes);
    const first = await bodies.next();
    const firstPart: Buffer = first.done ? Buffer.alloc(0) : first.value;
    if (firstPart.length < writePartBytes) {
      const input = { ...this.#bucket.object(key), Body: firstPart };
      await this.#bucket.ask((s3, options) => s3.putObject(input, options), longAnswerTimeoutMs);
      return;
    }
    const multipart = await this.#multipart.start(key, 'application/octet-stream');
    try {
      await this.#multipart.commit(multipart, await this.#writeParts(multipart, firstPart, bodies));
    } catch (error) {
      await this.#multipart.abort(multipart).catch(() => {}); // The first fault is the one to tell.
      throw error;
    }
  }

  async delete(key: string): Promise<void> {
    // First multipart uploads, then the object: a commit at the same moment either fails or is undone.
    await this.#multipart.abortOf(key);
    await this.#remove(key);
  }

  async deleteAll(prefix: string): Promise<void> {
    if (!isOwnerPrefix(prefix)) throw new Error('not the prefix of an account or a job');
    await this.#multipart.abortAll(prefix);
    for await (const { key } of this.list(prefix)) await this.#remove(key);
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    let next: { ContinuationToken?: string } | undefined = {};
    while (next) {
      const input = { ...this.#bucket.prefix(prefix), ...next };
      const page: ListObjectsV2CommandOutput = await this.#bucket.ask((s3, options) =>
        s3.listObjectsV2(input, options),
      );
      for (const { Key, LastModified } of page.Contents ?? []) {
        if (Key && LastModified) yield { key: Key, modifiedAt: LastModified };
      }
      next = page.NextContinuationToken ? { ContinuationToken: page.NextContinuationToken } : undefined;
    }
  }

  async removeLeftovers(before: Date): Promise<number> {
    const removed = await Promise.all(
      [workPrefix, playbackPrefix].map((prefix) => this.#multipart.abortBefore(prefix, before)),
    );
    return removed.reduce((sum, count) => sum + count, 0);
  }

  /** Asks the store at most every few seconds, however many uploads are prepared. */
  async check(): Promise<void> {
    if (this.#health && this.#clock.now() < this.#health.untilMs) return this.#health.answer;
    const answer = this.#bucket.expect().catch((error) => {
      this.#health = undefined;
      throw error;
    });
    this.#health = { untilMs: this.#clock.now() + healthKeptMs, answer };
    return answer;
  }

  close(): void {
    this.#bucket.close();
  }

  async #remove(key: string): Promise<void> {
    const input = this.#bucket.object(key);
    await this.#bucket.ask((s3, options) => s3.deleteObject(input, options)).catch(ignoreMissing);
  }

  async #writeParts(
    multipart: MultipartUpload,
    firstPart: Buffer,
    rest: AsyncIterable<Buffer>,
  ): Promise<UploadedPart[]> {
    const parts = [await this.#multipart.writePart(multipart, 1, firstPart)];
    for await (const body of rest) {
      parts.push(await this.#multipart.writePart(multipart, parts.length + 1, body));
    }
    return parts;
  }

  /** A lost answer: the multipart upload is gone because it became this object. Its key belongs to one upload only. */
  async #isCommitted({ key, partSizesBytes }: CompleteMultipart): Promise<boolean> {
    const found = await this.head(key);
    return found?.sizeBytes === partSizesBytes.reduce((sum, size) => sum + size, 0);
  }
}
