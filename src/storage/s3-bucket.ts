import { S3 } from '@aws-sdk/client-s3';
import type { Clock } from '../platform/clock.ts';
import { NoSuchObject, StorageUnavailable } from './object-store.ts';
import { missingBucket, s3Fault } from './s3-faults.ts';
import type { S3Address, S3Credentials } from './s3-presign.ts';

/** Without a key the SDK finds credentials by itself: a role of the machine, the container or the service account. */
export interface S3BucketOptions extends S3Address, Partial<Record<keyof S3Credentials, string | undefined>> {
  clock: Clock;
}

/** With two attempts a store that is down shows within a few seconds. */
const connectTimeoutMs = 1_500;
const answerTimeoutMs = 4_000;
/** Joining hundreds of parts, or taking a block of work audio, may take the store longer. */
export const longAnswerTimeoutMs = 60_000;
const idleTimeoutMs = 120_000;

interface SendOptions {
  abortSignal: AbortSignal;
}

/** One bucket of an S3-compatible store: every request to it has a limit, and its errors are ours. */
export class S3Bucket {
  readonly #s3: S3;
  readonly #name: string;
  readonly #clock: Clock;
  #faults = 0;

  constructor(options: S3BucketOptions) {
    const { endpoint, region, bucket, forcePathStyle, clock } = options;
    const credentials = givenCredentials(options);
    this.#name = bucket;
    this.#clock = clock;
    this.#s3 = new S3({
      ...(endpoint === undefined ? {} : { endpoint }),
      region,
      forcePathStyle,
      ...(credentials ? { credentials } : {}),
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

  /** Those of the SDK, which renews them in time. */
  async credentials(): Promise<S3Credentials> {
    return await this.#s3.config.credentials().catch((error: unknown) => {
      throw this.#fault(error);
    });
  }

  /** As the input of a request names it. */
  object(key: string): { Bucket: string; Key: string } {
    return { Bucket: this.#name, Key: key };
  }

  prefix(prefix: string): { Bucket: string; Prefix: string } {
    return { Bucket: this.#name, Prefix: prefix };
  }

  async ask<Answer>(
    request: (s3: S3, options: SendOptions) => Promise<Answer>,
    timeoutMs = answerTimeoutMs,
  ): Promise<Answer> {
    try {
      return await request(this.#s3, { abortSignal: this.#clock.timeout(timeoutMs) });
    } catch (error) {
      throw this.#fault(error);
    }
  }

  /** The limit is for the beginning of the answer; afterwards only silence ends it. */
  async askForStream<Answer>(request: (s3: S3, options: SendOptions) => Promise<Answer>): Promise<Answer> {
    const limit = new AbortController();
    const answered = new AbortController();
    this.#clock.sleep(answerTimeoutMs, answered.signal).then(
      () => limit.abort(),
      () => {},
    );
    try {
      return await request(this.#s3, { abortSignal: limit.signal });
    } catch (error) {
      throw this.#fault(error);
    } finally {
      answered.abort();
    }
  }

  /** Throws StorageUnavailable unless it is there. */
  async expect(): Promise<void> {
    await this.ask((s3, options) => s3.headBucket({ Bucket: this.#name }, options)).catch((error) => {
      throw error instanceof NoSuchObject ? missingBucket(error) : error;
    });
  }

  close(): void {
    this.#s3.destroy();
  }

  #fault(error: unknown): Error {
    const fault = s3Fault(error);
    if (fault instanceof StorageUnavailable) this.#faults += 1;
    return fault;
  }
}

function givenCredentials(options: S3BucketOptions) {
  const { accessKeyId, secretAccessKey, sessionToken } = options;
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}
