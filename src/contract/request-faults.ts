import { z } from 'zod';
import { type ErrorCode, firstByPrecedence } from './errors.ts';

/** How an operation's invalid input becomes one of its own error codes. */
export interface RequestFaults {
  /** The operation's written order: of several faults the first one here is answered. */
  order: readonly ErrorCode[];
  /** The code for a field that is missing or wrong; an empty path is the whole input. */
  ofField(path: readonly PropertyKey[]): ErrorCode;
  /** A fault between fields. */
  ofWhole?(input: Record<string, unknown>): ErrorCode | undefined;
}

/** Each request schema is registered here with its faults (as the last call on it: other calls make a new schema). */
export const requestFaults = z.registry<RequestFaults>();

export type CheckedRequest<Value> = { value: Value } | { code: ErrorCode };

export function checkRequest<Value>(schema: z.ZodType<Value>, input: unknown): CheckedRequest<Value> {
  const faults = requestFaults.get(schema);
  if (!faults) throw new Error('a request schema is not registered with its faults');
  const parsed = schema.safeParse(input);
  const codes = parsed.success ? [] : parsed.error.issues.map((issue) => faults.ofField(issue.path));
  const whole = isRecord(input) ? faults.ofWhole?.(input) : undefined;
  if (whole) codes.push(whole);
  const code = firstByPrecedence(faults.order, codes);
  if (code) return { code };
  if (parsed.success) return { value: parsed.data };
  throw new Error('a fault of the request has no code in the order of its operation', {
    cause: parsed.error,
  });
}

function isRecord(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
