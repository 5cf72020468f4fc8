import type { ListPartsCommandOutput } from '@aws-sdk/client-s3';
import {
  type MultipartUpload,
  StorageUnavailable,
  type StoredPart,
  type UploadedPart,
} from './object-store.ts';
import { longAnswerTimeoutMs, type S3Bucket } from './s3-bucket.ts';
import { ignoreMissing } from './s3-faults.ts';

/** Of up to 1,000 unfinished uploads each. */
const abortedPagesMax = 100;

/** Objects that are made of parts: the multipart uploads of a bucket. */
export class S3Multipart {
  readonly #bucket: S3Bucket;

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket;
  }

  async start(key: string, contentType: string): Promise<MultipartUpload> {
    const input = { ...this.#bucket.object(key), ContentType: contentType };
    const { UploadId } = await this.#bucket.ask((s3, options) => s3.createMultipartUpload(input, options));
    if (!UploadId) throw new StorageUnavailable('the object store gave no upload id');
    return { key, uploadId: UploadId };
  }

  /** Throws NoSuchObject or NoSuchUpload; stores differ. */
  async storedParts({ key, uploadId }: MultipartUpload): Promise<StoredPart[]> {
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
    { key, uploadId }: MultipartUpload,
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

  async commit({ key, uploadId }: MultipartUpload, parts: readonly UploadedPart[]): Promise<void> {
    const input = {
      ...this.#bucket.object(key),
      UploadId: uploadId,
      MultipartUpload: {
        Parts: parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: etag })),
      },
    };
    await this.#bucket.ask((s3, options) => s3.completeMultipartUpload(input, options), longAnswerTimeoutMs);
  }

  async abort({ key, uploadId }: MultipartUpload): Promise<void> {
    const input = { ...this.#bucket.object(key), UploadId: uploadId };
    await this.#bucket.ask((s3, options) => s3.abortMultipartUpload(input, options)).catch(ignoreMissing);
  }

  /** Every multipart upload of that key. */
  async abortOf(key: string): Promise<void> {
    for (const multipart of (await this.#page(key)).multiparts) {
      if (multipart.key === key) await this.abort(multipart);
    }
  }

  /** Those below the prefix that began before; at most a page of them. */
  async abortBefore(prefix: string, before: Date): Promise<number> {
    const { multiparts } = await this.#page(prefix);
    const old = multiparts.filter(({ startedAt }) => startedAt && startedAt < before);
    for (const multipart of old) await this.abort(multipart);
    return old.length;
  }

  /** What was aborted is not listed again, so every page is the first one. */
  async abortAll(prefix: string): Promise<void> {
    for (let pages = 0; pages < abortedPagesMax; pages += 1) {
      const { multiparts, isLast } = await this.#page(prefix);
      for (const multipart of multiparts) await this.abort(multipart);
      if (isLast) return;
    }
    throw new StorageUnavailable('the object store keeps listing uploads that were aborted');
  }

  /** The first multipart uploads below a prefix. */
  async #page(
    prefix: string,
  ): Promise<{ multiparts: (MultipartUpload & { startedAt: Date | undefined })[]; isLast: boolean }> {
    const input = this.#bucket.prefix(prefix);
    const { Uploads = [], IsTruncated } = await this.#bucket.ask((s3, options) =>
      s3.listMultipartUploads(input, options),
    );
    const multiparts = Uploads.flatMap(({ Key, UploadId, Initiated }) =>
      Key && UploadId ? [{ key: Key, uploadId: UploadId, startedAt: Initiated }] : [],
    );
    return { multiparts, isLast: IsTruncated !== true };
  }
}
