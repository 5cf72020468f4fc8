/** What the document says of answers besides their bodies: the headers, and the refusals of HTTP itself. */
import { protocolErrors } from '../contract/envelope.ts';
import { errorMessage, errorStatus } from '../contract/errors.ts';

const text = { type: 'string' } as const;

export const componentHeaders = {
  RequestId: {
    description: 'Quote it when you report a problem',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  Location: { description: 'Relative address of what was created', required: true, schema: text },
  RetryAfter: { description: 'Seconds to wait before the next try', schema: { type: 'integer', minimum: 1 } },
  RateLimit: {
    description: 'What is left of the quota (r), and seconds until it is full again (t)',
    schema: { ...text, examples: ['"request";r=599;t=60'] },
  },
  RateLimitPolicy: {
    description: 'The quota (q) of each window of so many seconds (w)',
    schema: { ...text, examples: ['"request";q=600;w=60'] },
  },
  WwwAuthenticate: { description: 'Which kind of credential is wanted', required: true, schema: text },
  Allow: { description: 'Methods that this address takes; with 405', schema: text },
};

const ref = (name: keyof typeof componentHeaders) => ({ $ref: `#/components/headers/${name}` });

export function answeredHeaders(
  { security }: { security?: unknown[] },
  status: string,
): Record<string, { $ref: string }> {
  const isProtected = security?.length !== 0;
  const isCounted = isProtected && status !== '401';
  return {
    'x-request-id': ref('RequestId'),
    ...(status === '201' || status === '202' ? { Location: ref('Location') } : {}),
    ...(status === '401' ? { 'WWW-Authenticate': ref('WwwAuthenticate') } : {}),
    ...(status === '429' || status === '503' ? { 'Retry-After': ref('RetryAfter') } : {}),
    ...(isCounted ? { RateLimit: ref('RateLimit'), 'RateLimit-Policy': ref('RateLimitPolicy') } : {}),
  };
}

export const protocolAnswerName = 'ProtocolError';

/** `default` of every operation. */
export const protocolAnswer = {
  description: `A request that did not become this operation: ${protocolErrors
    .map((code) => `${errorStatus(code)} ${code} (${errorMessage(code)})`)
    .join(' ')}`,
  headers: { 'x-request-id': ref('RequestId'), Allow: ref('Allow') },
  content: {
    'application/json': {
      schema: {
        type: 'object',
        properties: {
          error: {
            type: 'object',
            properties: { code: { type: 'string', enum: protocolErrors }, message: text },
            required: ['code', 'message'],
          },
        },
        required: ['error'],
      },
    },
  },
};
