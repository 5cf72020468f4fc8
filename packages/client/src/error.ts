interface ErrorDetails {
  code: string;
  status?: number;
  requestId?: string | undefined;
  retryAfter?: number | undefined;
  cause?: unknown;
}

// Everything that this client throws, besides the reason of an `AbortSignal`.
export class LonghandError extends Error {
  override readonly name: string = 'LonghandError';
  // The service's, or `connection_failed`, `timeout`, `transcription_failed`, `invalid_signature`, …
  declare readonly code: string;
  declare readonly status: number;
  declare readonly requestId: string | undefined;
  /** Seconds. */
  declare readonly retryAfter: number | undefined;

  constructor(message: string, details: ErrorDetails) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.status = details.status ?? 0;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

export async function errorOf(response: Response): Promise<LonghandError> {
  const body: { error?: { code?: string; message?: string } } = await response.json().catch(() => ({}));
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new LonghandError(body?.error?.message ?? `The service answered ${response.status}.`, {
    code: body?.error?.code ?? 'unexpected_answer',
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}
