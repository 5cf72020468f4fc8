import { z } from 'zod';
import { type ErrorCode, errorStatus } from './errors.ts';

/** A success body: everything stands under `data`. */
export function dataOf<Schema extends z.ZodType>(schema: Schema, description: string) {
  return z.object({ data: schema }).describe(description);
}

/** The answers that an operation's error codes lead to, one schema for each status. */
export function errorAnswers(codes: readonly ErrorCode[]): Record<number, z.ZodType> {
  const byStatus = Map.groupBy(codes, errorStatus);
  return Object.fromEntries(
    [...byStatus].map(([status, of]) => [
      status,
      z
        .object({ error: z.object({ code: z.enum(of as [ErrorCode, ...ErrorCode[]]), message: z.string() }) })
        .describe(of.join(', ')),
    ]),
  );
}

/** Answers to requests that did not become an operation. */
export const protocolErrors = ['method_not_allowed', 'request_timeout', 'headers_too_large'] as const;

/** What every operation may answer besides its own errors. */
export const openErrors = ['malformed_request', 'internal_error'] as const;

/** What every protected operation may answer besides its own errors. */
export const protectedErrors = [
  'malformed_request',
  'missing_api_key',
  'invalid_api_key',
  'rate_limited',
  'service_unavailable',
  'internal_error',
] as const;
