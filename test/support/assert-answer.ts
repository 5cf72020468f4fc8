import assert from 'node:assert/strict';
import type { Answer } from './api-client.ts';

/** Exactly the error envelope, with the status and code that the specification gives. */
export function assertError(
  { status, body, headers }: Answer,
  expected: { status: number; code: string },
): void {
  assert.deepEqual({ status, code: body?.error?.code }, expected);
  assert.deepEqual(Object.keys(body), ['error']);
  assert.deepEqual(Object.keys(body.error).toSorted(), ['code', 'message']);
  assert.ok(typeof body.error.message === 'string' && body.error.message.length > 0);
  assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
}
