import { errorOf, LonghandError } from './error.ts';
import { backoffMs, pause } from './pause.ts';

export interface LonghandOptions {
  apiKey: string;
  /** Default http://127.0.0.1:8080. */
  baseUrl?: string;
  // Instead of the global one.
  fetch?: typeof fetch;
  // Default 3.
  maxRetries?: number;
  /** Of a request, not of transfers and streams. */
  timeoutMs?: number;
}

export interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Beyond this the service means hours (a daily allowance): then the caller decides. */
const retryAfterSecondsMax = 60;
/** 0: no answer. */
const retriedStatuses: readonly number[] = [0, 408, 429, 500, 502, 503, 504];

/** Requests to the service itself. Every operation of it may be repeated, so all are retried alike. */
export class Transport {
  declare readonly baseUrl: string;
  declare readonly fetch: typeof fetch;
  declare readonly maxRetries: number;
  readonly #apiKey: string;
  readonly #timeoutMs: number;

  constructor(options: LonghandOptions) {
    this.#apiKey = options.apiKey;
    this.baseUrl = (options.baseUrl ?? 'http://127.0.0.1:8080').replace(/\/+$/, '');
    this.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.maxRetries = options.maxRetries ?? 3;
    this.#timeoutMs = options.timeoutMs ?? 30_000;
  }

  /** Gives what stands under `data`, or undefined for an answer without a body. */
  async request<Data>(method: string, path: string, options: RequestOptions = {}): Promise<Data> {
    return await this.retried(async () => {
      const limit = AbortSignal.timeout(this.#timeoutMs);
      const signal = options.signal ? AbortSignal.any([options.signal, limit]) : limit;
      const response = await this.send(method, path, { ...options, signal });
      if (response.status === 204) return undefined as Data;
      return ((await response.json()) as { data: Data }).data;
    }, options.signal);
  }

  /** One request; throws a LonghandError unless the answer is a success. */
  async send(method: string, path: string, { body, headers, signal }: RequestOptions): Promise<Response> {
    const response = await this.fetch(this.baseUrl + path, {
      method,
      headers: {
        authorization: `Bearer ${this.#apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: JSON.stringify(body) ?? null,
      signal: signal ?? null,
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  /** Tries again after faults that pass: broken connections, too many requests, a service that is away for a moment. */
  async retried<Result>(work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await work();
      } catch (error) {
        signal?.throwIfAborted();
        const known = knownError(error);
        if (attempt >= this.maxRetries || !isPassing(known)) throw known;
        await pause((known.retryAfter ?? 0) * 1000 || backoffMs(attempt), signal);
      }
    }
  }
}

function knownError(error: unknown): LonghandError {
  if (error instanceof LonghandError) return error;
  if (error instanceof DOMException && error.name === 'TimeoutError') {
    return new LonghandError('The service did not answer in time.', { code: 'timeout', cause: error });
  }
  return new LonghandError('The connection failed.', { code: 'connection_failed', cause: error });
}

function isPassing({ status, retryAfter = 0 }: LonghandError): boolean {
  return retriedStatuses.includes(status) && retryAfter <= retryAfterSecondsMax;
}
