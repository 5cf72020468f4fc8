/** What the local storage answers when it refuses a request, in the words of S3, so that clients need one reading. */
const refusalTable = {
  AccessDenied: [403, 'The signed URL is incomplete or not valid here.'],
  RequestExpired: [403, 'The signed URL has expired. Prepare the upload again.'],
  UploadInUse: [403, 'A job uses this upload, so it cannot be replaced. Prepare a new upload.'],
  SignatureDoesNotMatch: [
    403,
    'The request does not match what was signed: method, address, Content-Length and Content-Type must be as prepared.',
  ],
  InvalidArgument: [
    400,
    'Only one way of authentication is allowed. The signed URL is enough; do not send an Authorization header.',
  ],
  MissingContentLength: [411, 'Send the Content-Length header.'],
  IncompleteBody: [400, 'The body ended before the number of bytes in Content-Length.'],
  InvalidDigest: [400, 'The Content-MD5 header is not a base64 MD5.'],
  BadDigest: [400, 'The body does not match the Content-MD5 header.'],
  NoSuchUpload: [404, 'This multipart upload does not exist. It may have been aborted or completed.'],
  InternalError: [500, 'Something went wrong on our side. Try again.'],
  ServiceUnavailable: [503, 'The storage cannot take this upload at the moment. Try again in a few minutes.'],
} as const satisfies Record<string, readonly [status: number, message: string]>;

export type RefusalCode = keyof typeof refusalTable;

/** Anybody can get these; all others need a signature of ours. */
const unsignedCodes: ReadonlySet<RefusalCode> = new Set([
  'AccessDenied',
  'SignatureDoesNotMatch',
  'InvalidArgument',
  'MissingContentLength',
]);

export class LocalRefusal extends Error {
  override readonly name = 'LocalRefusal';
  readonly code: RefusalCode;

  constructor(code: RefusalCode, cause?: unknown) {
    super(refusalTable[code][1], cause === undefined ? {} : { cause });
    this.code = code;
  }

  get status(): number {
    return refusalTable[this.code][0];
  }

  get isUnsigned(): boolean {
    return unsignedCodes.has(this.code);
  }

  /** S3's error document. Every text in it is ours, so nothing needs escaping. */
  get xml(): string {
    const code = this.code === 'RequestExpired' || this.code === 'UploadInUse' ? 'AccessDenied' : this.code;
    return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${this.message}</Message></Error>`;
  }
}
