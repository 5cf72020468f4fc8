/**
 * Every error that the service can answer with: one table from code to status and message.
 * A message tells the reader what to do next; it never says anything of the inside.
 */
const errorTable = {
  missing_api_key: [401, 'Send your API key in the header "Authorization: Bearer <API_KEY>".'],
  invalid_api_key: [
    401,
    'This API key is malformed, unknown, expired or revoked. Check it, or create a new one.',
  ],

  sign_in_required: [401, 'Sign in first. "longhand signin" prints a link for the browser.'],
  sign_in_refused: [
    401,
    'This link was used already or has expired, or the key is not active. Get a new link with "longhand signin".',
  ],
  cross_site_request: [
    403,
    'This request did not come from a page of this service. Open the service itself and try again.',
  ],
  invalid_web_request: [400, 'The page sent something this service does not understand. Reload the page.'],
  operator_required: [403, 'Only the operator of this service sees this. Sign in with such an account.'],

  invalid_upload: [
    400,
    'Describe the upload with a filename of 1 to 240 characters and its exact size in bytes; to create a transcription also send the key and storage that prepare returned.',
  ],
  pro_required: [
    403,
    'Speaker diarization needs the Pro plan. Leave speaker_diarization out, or upgrade the account.',
  ],
  daily_limit_reached: [
    429,
    'The daily allowance of transcriptions is used up. Try again after midnight UTC, or upgrade the account.',
  ],
  file_too_large: [
    413,
    "The file is larger than this account's plan allows. Send a smaller or compressed file.",
  ],
  unsupported_type: [
    415,
    'This is not an accepted audio or video file. Send one of the documented media types.',
  ],
  api_uploads_unavailable: [503, 'Uploads are not available at the moment. Try again in a few minutes.'],
  invalid_multipart_upload: [
    400,
    'The key, storage or upload_id does not name an open multipart upload of this account. Send them as prepare returned them.',
  ],
  invalid_multipart_parts: [
    400,
    'List every part once, in order, with its part_number and the ETag that its upload returned, each part of the exact size.',
  ],

  invalid_request: [400, 'Send a JSON object with the documented fields as the request body.'],
  invalid_source: [400, 'Send exactly one of source_url and upload.'],
  invalid_source_url: [400, 'source_url must be a public http or https URL without credentials.'],
  empty_upload: [400, 'The stored upload has no bytes. Upload the file again.'],
  upload_not_owned: [
    403,
    'This upload belongs to another account. Use a key that prepare returned to this account.',
  ],
  upload_not_found: [
    404,
    'This upload does not exist any more, or is not finished. Prepare and upload the file again.',
  ],
  api_processing_unavailable: [
    503,
    'No worker can process transcriptions at the moment. Nothing was queued; try again in a few minutes.',
  ],
  queue_unavailable: [503, 'The job could not be queued. Nothing was stored; try again in a few minutes.'],
  invalid_limit: [400, 'limit must be an integer from 1 to 100.'],

  invalid_webhook_url: [
    400,
    'url must be a public https URL on port 443 of at most 2,048 characters, without credentials or fragment.',
  ],
  invalid_webhook_events: [
    400,
    'events must list transcription.completed, transcription.failed or both, each once.',
  ],
  webhook_subscription_limit_reached: [
    409,
    'This account has 20 active webhook subscriptions, the most there can be. Delete one first.',
  ],
  webhooks_unavailable: [
    503,
    'Webhook secrets cannot be stored safely with the current configuration. Ask the operator to set LONGHAND_SECRET_KEY.',
  ],

  not_found: [404, 'There is nothing here for this account. Check the address.'],
  method_not_allowed: [405, 'This address does not take that method. The Allow header lists those it takes.'],
  forbidden_origin: [
    403,
    'Requests under this Host or from this Origin are refused. Use the address of the service itself, or have the operator set LONGHAND_PUBLIC_URL.',
  ],
  malformed_request: [400, 'This is not a valid HTTP request. Check how the client writes requests.'],
  request_timeout: [408, 'The request did not arrive in time. Send it again.'],
  headers_too_large: [
    431,
    'The request line and headers are larger than 16 KiB. Send fewer or shorter ones.',
  ],
  request_too_large: [
    413,
    'The request body is larger than 1 MiB. Media goes to the upload URL, not into this request.',
  ],
  rate_limited: [429, 'Too many requests. Wait for the seconds that Retry-After gives, then try again.'],
  idempotency_key_reused: [
    422,
    'This Idempotency-Key was used with another request body in the last 24 hours. Use a new key for a new request.',
  ],
  service_unavailable: [
    503,
    'The service cannot answer at the moment. Wait for the seconds that Retry-After gives, then try again.',
  ],
  internal_error: [
    500,
    'Something went wrong on our side. Try again, and report the x-request-id if it happens again.',
  ],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type ErrorCode = keyof typeof errorTable;

/** Only the routes of the web product and of agents answer with these. */
const beyondTheApi: ReadonlySet<ErrorCode> = new Set([
  'sign_in_required',
  'sign_in_refused',
  'cross_site_request',
  'operator_required',
  'invalid_web_request',
  'forbidden_origin',
]);

/** The errors of the documented API. */
export const errorCodes = (Object.keys(errorTable) as ErrorCode[]).filter((code) => !beyondTheApi.has(code));

export function errorStatus(code: ErrorCode): number {
  return errorTable[code][0];
}

export function errorMessage(code: ErrorCode): string {
  return errorTable[code][1];
}

export interface ApiErrorOptions {
  /** A sentence more precise than the code's own, such as the field that is wrong or the limit that was passed. */
  message?: string | undefined;
  cause?: unknown;
  headers?: Record<string, string>;
}

/** An answer to the caller, chosen where the fault is known. The private `cause` goes to the log only. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, options: ApiErrorOptions = {}) {
    super(options.message ?? errorMessage(code), options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return errorStatus(this.code);
  }
}

/** Of several codes that apply at once, the one that comes first in the operation's written order. */
export function firstByPrecedence(
  order: readonly ErrorCode[],
  codes: Iterable<ErrorCode>,
): ErrorCode | undefined {
  const found = new Set(codes);
  return order.find((code) => found.has(code));
}
