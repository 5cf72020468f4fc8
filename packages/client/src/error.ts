export interface ErrorDetails {
  /** The service's error code, or `connection_failed`, `timeout`, `transcription_failed`, `invalid_signature`. */
  code: string;
  /** HTTP status; 0 where there was no answer. */
  status?: number;
  /** For a report to the operator: the service's log has the cause under it. */
  requestId?: string | undefined;
  /** Seconds after which another try makes sense, where the service says so. */
  retryAfter?: number | undefined;
  cause?: unknown;
}

/** Everything that this client throws, besides the reason of an `AbortSignal`. */
export class LonghandError extends Error {
  override readonly name: string = 'LonghandError';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(message: string, details: ErrorDetails) {
    super(message, { cause: details.cause });
    this.code = details.code;
    this.status = details.status ?? 0;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

export async function errorOf(response: Response): Promise<LonghandError> {
  const text = await response.text().catch(() => '');
  const { code, message } = bodyOf(text);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new LonghandError(message ?? `The service answered ${response.status}.`, {
    code: code ?? 'unexpected_answer',
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function bodyOf(text: string): { code?: string; message?: string } {
  try {
    const { error } = JSON.parse(text) as { error?: { code?: string; message?: string } };
    return error ?? {};
  } catch {
    return {};
  }
}
