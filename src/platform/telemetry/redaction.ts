/** What must never stand in a log line: recognised by its field's name at any depth, or by its shape in any text. */

/** Lower case, without `_` and `-`: `signing_secret`, `signingSecret` and `Signing-Secret` are one name. */
const secretNames: ReadonlySet<string> = new Set([
  'apikey',
  'authorization',
  'cookie',
  'connectionstring',
  'key',
  'objectkey',
  'password',
  'sealedkey',
  'sealedsecret',
  'secret',
  'secretaccesskey',
  'segments',
  'setcookie',
  'signature',
  'signingkey',
  'signingsecret',
  'text',
  'token',
  'utterances',
  'words',
]);
const urlName = /^(url|uri|href|location|.*url)$/;

const mask = '[redacted]';
const depthMax = 8;
const itemsMax = 100;

function redacted(value: unknown, depth = 0): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof Error) return errorInLog(value);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= depthMax) return '[too deep]';
  if (Array.isArray(value)) return value.slice(0, itemsMax).map((item) => redacted(item, depth + 1));
  if ('toJSON' in value && typeof value.toJSON === 'function') return redacted(value.toJSON(), depth + 1);
  return fieldsOf(value, depth);
}

/** A copy that is safe to log. Bounded in depth and breadth, so circles and large values do no harm. */
export function redactedFields(fields: object): Record<string, unknown> {
  return fieldsOf(fields, 0);
}

function fieldsOf(fields: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(fields).slice(0, itemsMax);
  return Object.fromEntries(entries.map(([name, value]) => [name, redactedField(name, value, depth)]));
}

function redactedField(name: string, value: unknown, depth: number): unknown {
  if (value === undefined || value === null) return value;
  const plainName = name.toLowerCase().replaceAll(/[_-]/g, '');
  if (secretNames.has(plainName)) return mask;
  if (typeof value === 'string' && urlName.test(plainName)) return originOf(value);
  return redacted(value, depth + 1);
}

/** Of an address only where it leads: paths and queries of receivers, sources and uploads are capabilities. */
function originOf(address: string): string {
  const url = URL.parse(address);
  return url && url.origin !== 'null' ? `${url.origin}…` : mask;
}

const causesMax = 5;

/** Of an error only what tells its story: libraries hang whole connections, requests and their secrets on theirs. */
function errorInLog(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, message, stack, cause } = error;
  const { code } = error as { code?: unknown };
  return {
    type: name,
    message,
    stack,
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(cause !== undefined && depth < causesMax ? { cause: errorInLog(cause, depth + 1) } : {}),
  };
}

/** API keys, webhook secrets, bearer tokens, passwords in addresses, and signatures of upload URLs. */
const secretShapes: readonly [RegExp, string][] = [
  [/lh_[0-9A-Za-z]{20,}/g, mask],
  [/whsec_[0-9A-Za-z+/=]{8,}/g, mask],
  [/(bearer|basic) [0-9A-Za-z._~+/=-]{8,}/gi, `$1 ${mask}`],
  [/([a-z][a-z0-9+.-]*:\/\/[^\s:/@"\\]*):[^\s/@"\\]+@/gi, `$1:${mask}@`],
  [/((?:x-amz-)?(?:signature|security-token|credential)=)[^&\s"\\]+/gi, `$1${mask}`],
];

/** The last look, at the finished line: a library's message may quote what no field name tells. */
export function withoutSecrets(line: string): string {
  return secretShapes.reduce((text, [shape, replacement]) => text.replace(shape, replacement), line);
}
