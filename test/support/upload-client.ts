/** What a client of the upload operations does, with nothing but fetch. */
import assert from 'node:assert/strict';

export interface SingleUpload {
  type: 'single';
  url: string;
  method: 'PUT';
  headers: Record<string, string>;
}

export interface MultipartUpload {
  type: 'multipart';
  parts: { part_number: number; url: string }[];
  part_size: number;
  upload_id: string;
}

export interface Prepared<Upload = SingleUpload | MultipartUpload> {
  key: string;
  storage: 's3' | 'local';
  content_type: string;
  upload: Upload;
}

export interface Answer {
  status: number;
  headers: Headers;
  /** `error.code` and `error.message` of a refusal. */
  code: string | undefined;
  message: string | undefined;
  data: unknown;
}

export interface Part {
  part_number: number;
  etag: string;
}

export class UploadClient {
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, headers: Record<string, string>) {
    this.#url = url;
    this.#headers = headers;
  }

  /** The same account on another service. */
  at(url: string): UploadClient {
    return new UploadClient(url, this.#headers);
  }

  async call(method: string, path: string, body: unknown): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { ...this.#headers, 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const json = text === '' ? {} : JSON.parse(text);
    const { code, message } = json.error ?? {};
    return { status: response.status, headers: response.headers, code, message, data: json.data };
  }

  tryPrepare(body: unknown): Promise<Answer> {
    return this.call('POST', '/api/v1/uploads', body);
  }

  async prepare(size: number, filename = 'talk.wav'): Promise<Prepared> {
    const answer = await this.tryPrepare({ filename, size });
    assert.equal(answer.status, 200, answer.code);
    return answer.data as Prepared;
  }

  async prepareSingle(size: number, filename?: string): Promise<Prepared<SingleUpload>> {
    const prepared = await this.prepare(size, filename);
    assert.equal(prepared.upload.type, 'single');
    return prepared as Prepared<SingleUpload>;
  }

  async prepareMultipart(size: number): Promise<Prepared<MultipartUpload>> {
    const prepared = await this.prepare(size);
    assert.equal(prepared.upload.type, 'multipart');
    return prepared as Prepared<MultipartUpload>;
  }

  complete(prepared: Prepared<MultipartUpload>, parts: unknown): Promise<Answer> {
    return this.call('POST', '/api/v1/uploads/multipart', { ...multipartOf(prepared), parts });
  }

  abort(prepared: Prepared<MultipartUpload>): Promise<Answer> {
    return this.call('DELETE', '/api/v1/uploads/multipart', multipartOf(prepared));
  }
}

export function multipartOf({ key, storage, upload }: Prepared<MultipartUpload>) {
  return { key, storage, upload_id: upload.upload_id };
}

export async function putSingle(
  { upload }: Prepared<SingleUpload>,
  bytes: Buffer<ArrayBuffer>,
): Promise<Response> {
  return fetch(upload.url, { method: upload.method, headers: upload.headers, body: bytes });
}

export function partBytes(
  prepared: Prepared<MultipartUpload>,
  bytes: Buffer<ArrayBuffer>,
  partNumber: number,
): Buffer<ArrayBuffer> {
  const { part_size } = prepared.upload;
  return bytes.subarray((partNumber - 1) * part_size, partNumber * part_size);
}

/** Uploads one part and keeps its ETag. */
export async function putPart(
  prepared: Prepared<MultipartUpload>,
  bytes: Buffer<ArrayBuffer>,
  partNumber: number,
): Promise<Part> {
  const url = prepared.upload.parts[partNumber - 1]?.url ?? '';
  const response = await fetch(url, { method: 'PUT', body: partBytes(prepared, bytes, partNumber) });
  assert.equal(response.status, 200, await response.text());
  return { part_number: partNumber, etag: response.headers.get('etag') ?? '' };
}

export async function putAllParts(
  prepared: Prepared<MultipartUpload>,
  bytes: Buffer<ArrayBuffer>,
): Promise<Part[]> {
  return Promise.all(prepared.upload.parts.map(({ part_number }) => putPart(prepared, bytes, part_number)));
}
