import { z } from 'zod';
import { type ErrorCode, firstByPrecedence } from './errors.ts';

/** How an operation's invalid input becomes one of its own error codes. */
export interface RequestFaults {
  /** The operation's written order: of several faults the first one here is answered. */
  order: readonly ErrorCode[];
  /** The code for a field that is missing or wrong; an empty path is the whole input. */
  ofField(path: readonly PropertyKey[]): ErrorCode;
  /** Sentences more precise than the code's own, by the dotted name of the field. */
  sentences?: Readonly<Record<string, string>>;
  /** A fault between fields. */
  ofWhole?(input: Record<string, unknown>): ErrorCode | undefined;
}

/** Each request schema is registered here with its faults (as the last call on it: other calls make a new schema). */
export const requestFaults = z.registry<RequestFaults>();

export interface RequestFault {
  code: ErrorCode;
  message?: string | undefined;
}

export type CheckedRequest<Value> = { value: Value } | { fault: RequestFault };

const noObjectSentence =
  'Send a JSON object as the request body, in UTF-8 and with the header "Content-Type: application/json".';

export function checkRequest<Value>(schema: z.ZodType<Value>, input: unknown): CheckedRequest<Value> {
  const faults = requestFaults.get(schema);
  if (!faults) throw new Error('a request schema is not registered with its faults');
  const parsed = schema.safeParse(input);
  const found = parsed.success ? [] : parsed.error.issues.map(({ path }) => faultOf(faults, path));
  const whole = isRecord(input) ? faults.ofWhole?.(input) : undefined;
  if (whole) found.push({ code: whole });
  const first = firstByPrecedence(
    faults.order,
    found.map(({ code }) => code),
  );
  const fault = found.find(({ code }) => code === first);
  if (fault) return { fault };
  if (parsed.success) return { value: parsed.data };
  throw new Error('a fault of the request has no code in the order of its operation', {
    cause: parsed.error,
  });
}

function faultOf(faults: RequestFaults, path: readonly PropertyKey[]): RequestFault {
  const field = path.filter((key) => typeof key === 'string').join('.');
  const message = field === '' ? noObjectSentence : faults.sentences?.[field];
  return { code: faults.ofField(path), message };
}

function isRecord(input: unknown): input is Record<string, unknown> {
  return typeof input === 'object' && input !== null && !Array.isArray(input);
}
