/** OpenAI's envelope of an error, and what our own codes are in it. */
import type { ApiError, ErrorCode } from '../contract/errors.ts';

interface ErrorFields {
  status: number;
  /** The field of the request that is wrong. */
  param: string | null;
  code: string | null;
}

export interface OpenAiErrorOptions extends Partial<ErrorFields> {
  cause?: unknown;
  headers?: Record<string, string>;
}

/** An answer in OpenAI's form, for what only this API can refuse. */
export class OpenAiError extends Error {
  override readonly name = 'OpenAiError';
  readonly status: number;
  readonly param: string | null;
  readonly code: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, options: OpenAiErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.status = options.status ?? 400;
    this.param = options.param ?? null;
    this.code = options.code ?? null;
    this.headers = options.headers ?? {};
  }

  get type(): string {
    if (this.status >= 500) return 'server_error';
    if (this.code === 'insufficient_quota') return 'insufficient_quota';
    return this.status === 429 ? 'rate_limit_error' : 'invalid_request_error';
  }

  get body() {
    const { message, type, param, code } = this;
    return { error: { message, type, param, code } };
  }
}

const notAgain = { 'x-should-retry': 'false' };

/** Where OpenAI has a name or a status of its own for the same; all else keeps ours. */
const translations: Partial<Record<ErrorCode, OpenAiErrorOptions & { message?: string }>> = {
  missing_api_key: { code: 'invalid_api_key' },
  rate_limited: { code: 'rate_limit_exceeded' },
  daily_limit_reached: { code: 'insufficient_quota', headers: notAgain },
  pro_required: {
    param: 'response_format',
    message: 'diarized_json needs the Pro plan. Ask for another response_format, or upgrade the account.',
  },
  unsupported_type: { status: 400, param: 'file' },
  file_too_large: { param: 'file' },
  empty_upload: { param: 'file' },
};

export function openAiError(error: ApiError): OpenAiError {
  const { message = error.message, headers, ...own } = translations[error.code] ?? {};
  return new OpenAiError(message, {
    status: error.status,
    code: error.code,
    cause: error.cause,
    ...own,
    headers: { ...error.headers, ...headers },
  });
}
