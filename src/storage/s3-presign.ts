import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/**
 * Signed URLs of S3 (AWS Signature Version 4 in the query). Made here and not by the SDK's presigner, which walks its
 * whole middleware for each URL: for 320 parts it takes about thirty times as long. The SDK is the test's oracle.
 */
export interface S3Address {
  /** Undefined for AWS itself. */
  endpoint: string | undefined;
  region: string;
  bucket: string;
  forcePathStyle: boolean;
}

export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
  /** Of temporary credentials: a URL ends with them, whatever it says. */
  sessionToken?: string | undefined;
}

export interface PresignRequest {
  credentials: S3Credentials;
  key: string;
  query?: Readonly<Record<string, string>>;
  /** Lower-case names; the client must send exactly these. */
  headers: Readonly<Record<string, string>>;
  expiresInSeconds: number;
  date: Date;
}

export class S3Presigner {
  readonly #base: URL;
  readonly #region: string;
  #dayKey: { day: string; secretAccessKey: string; key: KeyObject } | undefined;

  constructor(address: S3Address) {
    this.#base = bucketUrl(address);
    this.#region = address.region;
  }

  put(request: PresignRequest): string {
    return this.#signed('PUT', request);
  }

  get(request: PresignRequest): string {
    return this.#signed('GET', request);
  }

  #signed(
    method: 'GET' | 'PUT',
    { key, query = {}, headers, expiresInSeconds, date, credentials }: PresignRequest,
  ): string {
    const { accessKeyId, secretAccessKey, sessionToken } = credentials;
    const time = date.toISOString().replace(/[-:]|\.\d{3}/g, '');
    const scope = `${time.slice(0, 8)}/${this.#region}/s3/aws4_request`;
    const signed: [string, string][] = Object.entries({ ...headers, host: this.#base.host });
    signed.sort(byName);
    const signedNames = signed.map(([name]) => name).join(';');
    const parameters: [string, string][] = Object.entries({
      ...query,
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
      'X-Amz-Credential': `${accessKeyId}/${scope}`,
      'X-Amz-Date': time,
      'X-Amz-Expires': String(expiresInSeconds),
      'X-Amz-SignedHeaders': signedNames,
      ...(sessionToken === undefined ? {} : { 'X-Amz-Security-Token': sessionToken }),
    });
    const search = parameters
      .map(([name, value]): [string, string] => [encode(name), encode(value)])
      .sort(byName)
      .map(([name, value]) => `${name}=${value}`)
      .join('&');
    const path = this.#base.pathname + key.split('/').map(encode).join('/');
    const headerLines = signed.map(([name, value]) => `${name}:${value.trim()}\n`).join('');
    const canonical = [method, path, search, headerLines, signedNames, 'UNSIGNED-PAYLOAD'].join('\n');
    const digest = hash('sha256', canonical);
    const signature = hmac(
      this.#keyOf(time.slice(0, 8), secretAccessKey),
      ['AWS4-HMAC-SHA256', time, scope, digest].join('\n'),
    );
    return `${this.#base.origin}${path}?${search}&X-Amz-Signature=${signature.toString('hex')}`;
  }

  /** The signing key holds for a day. As a KeyObject it signs eight times as fast as a Buffer would. */
  #keyOf(day: string, secretAccessKey: string): KeyObject {
    const known = this.#dayKey;
    if (known?.day === day && known.secretAccessKey === secretAccessKey) return known.key;
    const steps = [day, this.#region, 's3', 'aws4_request'];
    const first = Buffer.from(`AWS4${secretAccessKey}`);
    const key = createSecretKey(steps.reduce<Buffer>((last, step) => hmac(last, step), first));
    this.#dayKey = { day, secretAccessKey, key };
    return key;
  }
}

function bucketUrl({ endpoint, region, bucket, forcePathStyle }: S3Address): URL {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const prefix = url.pathname.replace(/\/+$/, '');
  if (forcePathStyle) url.pathname = `${prefix}/${encode(bucket)}/`;
  else {
    url.hostname = `${bucket}.${url.hostname}`;
    url.pathname = `${prefix}/`;
  }
  return url;
}

function hmac(key: Buffer | KeyObject, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** RFC 3986, stricter than encodeURIComponent. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function byName([a]: [string, string], [b]: [string, string]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
