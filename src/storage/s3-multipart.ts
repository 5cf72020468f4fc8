import type { ListPartsCommandOutput } from '@aws-sdk/client-s3';
import {
  type MultipartSession,
  StorageUnavailable,
  type StoredPart,
  type UploadedPart,
} from './object-store.ts';
import { longAnswerTimeoutMs, type S3Bucket } from './s3-bucket.ts';
import { ignoreMissing } from './s3-faults.ts';

/** Of up to 1,000 unfinished uploads each. */
const abortedPagesMax = 100;

/** Objects that are made of parts: the sessions of a bucket. */
export class S3Multipart {
  readonly #bucket: S3Bucket;

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket;
  }

  async start(key: string, contentType: string): Promise<MultipartSession> {
    const input = { ...this.#bucket.object(key), ContentType: contentType };
    const { UploadId } = await this.#bucket.ask((s3, options) => s3.createMultipartUpload(input, options));
    if (!UploadId) throw new StorageUnavailable('the object store gave no upload id');
    return { key, uploadId: UploadId };
  }

  /** Throws NoSuchObject or NoSuchUpload; stores differ. */
  async storedParts({ key, uploadId }: MultipartSession): Promise<StoredPart[]> {
    const parts: StoredPart[] = [];
    let marker: string | undefined = '0';
    while (marker !== undefined) {
      const input = { ...this.#bucket.object(key), UploadId: uploadId, PartNumberMarker: marker };
      const page: ListPartsCommandOutput = await this.#bucket.ask((s3, options) =>
        s3.listParts(input, options),
      );
      for (const { PartNumber = 0, ETag = '', Size = 0 } of page.Parts ?? []) {
        parts.push({ partNumber: PartNumber, etag: ETag, sizeBytes: Size });
      }
      marker = page.IsTruncated ? page.NextPartNumberMarker : undefined;
    }
    return parts;
  }

  async writePart(
    { key, uploadId }: MultipartSession,
    partNumber: number,
    body: Buffer,
  ): Promise<UploadedPart> {
    const input = { ...this.#bucket.object(key), UploadId: uploadId, PartNumber: partNumber, Body: body };
    const { ETag = '' } = await this.#bucket.ask(
      (s3, options) => s3.uploadPart(input, options),
      longAnswerTimeoutMs,
    );
    return { partNumber, etag: ETag };
  }

  async commit({ key, uploadId }: MultipartSession, parts: readonly UploadedPart[]): Promise<void> {
    const input = {
      ...this.#bucket.object(key),
      UploadId: uploadId,
      MultipartUpload: {
        Parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })),
      },
    };
    await this.#bucket.ask((s3, options) => s3.completeMultipartUpload(input, options), longAnswerTimeoutMs);
  }

  async abort({ key, uploadId }: MultipartSession): Promise<void> {
    const input = { ...this.#bucket.object(key), UploadId: uploadId };
    await this.#bucket.ask((s3, options) => s3.abortMultipartUpload(input, options)).catch(ignoreMissing);
  }

  /** Every session of that key. */
  async abortOf(key: string): Promise<void> {
    for (const session of (await this.#page(key)).sessions) {
      if (session.key === key) await this.abort(session);
    }
  }

  /** Those below the prefix that began before; at most a page of them. */
  async abortBefore(prefix: string, before: Date): Promise<number> {
    const { sessions } = await this.#page(prefix);
    const old = sessions.filter(({ startedAt }) => startedAt && startedAt < before);
    for (const session of old) await this.abort(session);
    return old.length;
  }

  /** What was aborted is not listed again, so every page is the first one. */
  async abortAll(prefix: string): Promise<void> {
    for (let pages = 0; pages < abortedPagesMax; pages += 1) {
      const { sessions, isLast } = await this.#page(prefix);
      for (const session of sessions) await this.abort(session);
      if (isLast) return;
    }
    throw new StorageUnavailable('the object store keeps listing uploads that were aborted');
  }

  /** The first sessions below a prefix. */
  async #page(
    prefix: string,
  ): Promise<{ sessions: (MultipartSession & { startedAt: Date | undefined })[]; isLast: boolean }> {
    const input = this.#bucket.prefix(prefix);
    const { Uploads = [], IsTruncated } = await this.#bucket.ask((s3, options) =>
      s3.listMultipartUploads(input, options),
    );
    const sessions = Uploads.flatMap(({ Key, UploadId, Initiated }) =>
      Key && UploadId ? [{ key: Key, uploadId: UploadId, startedAt: Initiated }] : [],
    );
    return { sessions, isLast: IsTruncated !== true };
  }
}
