import type { CallToolResult } from '@modelcontextprotocol/server';
import { ApiError } from '../contract/errors.ts';
import { DatabaseUnavailable } from '../platform/database/database-fault.ts';

/** The same codes as over REST, where a program finds them; the sentence is for the agent. */
export function errorResult(error: unknown, onFault: (error: unknown) => void): CallToolResult {
  const known = knownError(error);
  if (known.cause !== undefined) onFault(known.cause);
  const { code, message, headers } = known;
  const retryAfter = Number(headers['retry-after']);
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}` }],
    structuredContent: {
      error: {
        code,
        message,
        ...(Number.isFinite(retryAfter) ? { retry_after_seconds: retryAfter } : {}),
      },
    },
  };
}

function knownError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  const code = error instanceof DatabaseUnavailable ? 'service_unavailable' : 'internal_error';
  return new ApiError(code, { cause: error });
}
