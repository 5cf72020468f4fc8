import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { errorCodes, errorMessage, errorStatus } from './errors.ts';
import { checkRequest, requestFaults } from './request-faults.ts';
import { createTranscriptionBody } from './transcription.ts';

/** interface.md's error table, and the codes that were decided where it is silent. */
const specified: [status: number, code: string][] = [
  [401, 'missing_api_key'],
  [401, 'invalid_api_key'],
  [400, 'invalid_upload'],
  [403, 'pro_required'],
  [429, 'daily_limit_reached'],
  [413, 'file_too_large'],
  [415, 'unsupported_type'],
  [503, 'api_uploads_unavailable'],
  [400, 'invalid_multipart_upload'],
  [400, 'invalid_multipart_parts'],
  [400, 'invalid_request'],
  [400, 'invalid_source'],
  [400, 'invalid_source_url'],
  [400, 'empty_upload'],
  [403, 'upload_not_owned'],
  [404, 'upload_not_found'],
  [503, 'api_processing_unavailable'],
  [503, 'queue_unavailable'],
  [400, 'invalid_limit'],
  [404, 'not_found'],
  [400, 'invalid_webhook_url'],
  [400, 'invalid_webhook_events'],
  [409, 'webhook_subscription_limit_reached'],
  [503, 'webhooks_unavailable'],
  [400, 'malformed_request'],
  [408, 'request_timeout'],
  [431, 'headers_too_large'],
  [413, 'request_too_large'],
  [405, 'method_not_allowed'],
  [500, 'internal_error'],
  [503, 'service_unavailable'],
  [429, 'rate_limited'],
  [422, 'idempotency_key_reused'],
];

function faultCode(schema: z.ZodType, body: unknown): string | undefined {
  const checked = checkRequest(schema, body);
  return 'fault' in checked ? checked.fault.code : undefined;
}

test('the error table has every specified code with its status, no others, and each message is a sentence', () => {
  const known = errorCodes.map((code) => [errorStatus(code), code]);
  assert.deepEqual(known.toSorted(), specified.toSorted());
  for (const code of errorCodes) assert.match(errorMessage(code), /^[A-Za-z].{15,}\.$/);
});

test('of several faults the first one in the written order is answered', () => {
  const faulty: [body: unknown, code: string][] = [
    [[], 'invalid_request'],
    [{ source_url: 5, upload: 5, speaker_diarization: 'yes' }, 'invalid_request'],
    [{ source_url: 5, upload: 5 }, 'invalid_source'],
    [{ source_url: 5 }, 'invalid_source_url'],
    [{ upload: {} }, 'invalid_upload'],
    [{}, 'invalid_source'],
  ];
  for (const [body, code] of faulty) assert.deepEqual(faultCode(createTranscriptionBody, body), code);
});

test('null for a source is the same as none, and unknown fields are ignored', () => {
  const checked = checkRequest(createTranscriptionBody, {
    source_url: 'https://example.com/a.mp3',
    upload: null,
    other: 1,
  });
  assert.deepEqual(checked, {
    value: { source_url: 'https://example.com/a.mp3', upload: null, speaker_diarization: false },
  });
});

test('a schema without faults is a mistake in the code, not an answer', () => {
  assert.throws(() => checkRequest(z.object({}), {}), /not registered/);
  const schema = z
    .object({ a: z.string() })
    .register(requestFaults, { order: [], ofField: () => 'invalid_limit' });
  assert.throws(() => checkRequest(schema, {}), /no code in the order/);
});
