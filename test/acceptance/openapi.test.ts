/** What the document promises to those who read it, and to those who generate code from it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { DocumentCheck, type Operation } from '../support/document-check.ts';
import type { JsonSchema } from '../support/schema-values.ts';
import { runService, withoutNames } from '../support/service.ts';

const service = await runService({ after }, withoutNames);
const client = await newClient(service);
const { body: document } = await client.get('/api/v1/openapi.json');
const check = new DocumentCheck(document);

function operationOf(id: string): Operation {
  const found = check.operations().find(({ operation }) => operation.operationId === id);
  assert.ok(found, id);
  return found.operation;
}

function bodyOf(id: string): JsonSchema {
  const schema = check.requestSchema(operationOf(id));
  assert.ok(schema);
  return schema;
}

/** Every schema inside a part of the document. */
function schemasIn(part: unknown): JsonSchema[] {
  if (typeof part !== 'object' || part === null) return [];
  const inner = Object.values(part).flatMap(schemasIn);
  return Array.isArray(part) ? inner : [part as JsonSchema, ...inner];
}

test('a create takes exactly one of source_url and upload', () => {
  const upload = { filename: 'a.mp3', key: 'k', size: 1, storage: 'local' };
  const source_url = 'https://example.com/a.mp3';
  const create = operationOf('createTranscription');
  for (const body of [{ source_url }, { upload }, { source_url, upload: null }, { upload, source_url: null }])
    assert.ok(check.fitsRequest(create, body), JSON.stringify(body));
  for (const body of [
    {},
    { source_url, upload },
    { source_url: null, upload: null },
    { speaker_diarization: true },
  ])
    assert.ok(!check.fitsRequest(create, body), JSON.stringify(body));
});

test('formats, defaults, alternatives and limits of the specification are in it', () => {
  const [limit] = operationOf('listTranscriptions').parameters ?? [];
  assert.deepEqual(limit?.schema, { type: 'integer', minimum: 1, maximum: 100, default: 25 });
  const prepare = bodyOf('prepareUpload');
  assert.deepEqual(prepare.required, ['filename', 'size']);
  assert.equal(prepare.properties?.filename?.maxLength, 240);
  assert.equal(prepare.properties?.speaker_diarization?.default, false);
  const [link, upload] = bodyOf('createTranscription').anyOf ?? [];
  assert.equal(link?.properties?.source_url?.format, 'uri');
  assert.deepEqual(upload?.properties?.upload?.properties?.storage?.enum, ['s3', 'local']);
  const subscription = bodyOf('createWebhookSubscription');
  assert.equal(subscription.properties?.url?.format, 'uri');
  assert.equal(subscription.properties?.url?.maxLength, 2_048);
  assert.deepEqual(subscription.required, ['url', 'events']);
  for (const id of ['completeMultipartUpload', 'abortMultipartUpload'])
    assert.deepEqual(bodyOf(id).properties?.storage?.enum, ['s3', 'local']);
});

test('every header is in it: Idempotency-Key, Location, request id, rates, waits, challenges, methods', () => {
  const create = operationOf('createTranscription');
  assert.deepEqual(
    create.parameters?.map(({ name, in: place }) => [name, place]),
    [['Idempotency-Key', 'header']],
  );
  for (const { operation } of check.operations()) {
    const isProtected = operation.security === undefined;
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status === 'default') continue;
      const headers = Object.keys(response.headers ?? {});
      const what = `${operation.operationId} ${status}`;
      assert.ok(headers.includes('x-request-id'), what);
      assert.equal(headers.includes('Location'), ['201', '202'].includes(status), what);
      assert.equal(headers.includes('WWW-Authenticate'), status === '401', what);
      assert.equal(headers.includes('Retry-After'), ['429', '503'].includes(status), what);
      assert.equal(headers.includes('RateLimit'), isProtected && status !== '401', what);
      assert.equal(headers.includes('RateLimit-Policy'), isProtected && status !== '401', what);
    }
    assert.equal(operation.responses.default?.$ref, '#/components/responses/ProtocolError');
  }
  const { headers, content } = document.components.responses.ProtocolError;
  assert.ok('Allow' in headers);
  const codes = content['application/json'].schema.properties.error.properties.code.enum;
  assert.deepEqual(codes, ['method_not_allowed', 'request_timeout', 'headers_too_large']);
});

test('answers may grow: no object of an answer or event is closed', () => {
  const answers = [document.components, ...check.operations().map(({ operation }) => operation.responses)];
  const closed = answers
    .flatMap(schemasIn)
    .filter(({ additionalProperties }) => additionalProperties === false);
  assert.deepEqual(closed, []);
});

test('successes are described, the licence is named, and the webhook stands in it once', () => {
  for (const { operation } of check.operations()) {
    for (const [status, response] of Object.entries(operation.responses)) {
      const { description } = response as { description?: string };
      if (status.startsWith('2')) assert.match(description ?? '', /^(?!Default Response)\w.{8,}/, status);
    }
  }
  assert.equal(document.info.license.identifier, 'Apache-2.0');
  assert.deepEqual(Object.keys(document.webhooks), ['transcriptionEnded']);
  assert.equal(document.webhooks.transcriptionEnded.post.tags, undefined);
  assert.equal(JSON.stringify(document).match(/"#\/components\/schemas\/WebhookEvent"/g)?.length, 1);
});

test('every example of a request works when it is sent as it is', async () => {
  const sent: string[] = [];
  for (const { method, path, operation } of check.operations()) {
    const example = operation.requestBody?.content['application/json']?.example;
    if (example === undefined) continue;
    const answer = await client.send(method, path, example);
    assert.ok(
      answer.status >= 200 && answer.status < 300,
      `${method} ${path}: ${JSON.stringify(answer.body)}`,
    );
    assert.deepEqual(check.faultsOf(operation, answer), []);
    sent.push(operation.operationId);
  }
  assert.deepEqual(sent, ['prepareUpload', 'createTranscription', 'createWebhookSubscription']);
});

test('an answer outside the document is noticed', async () => {
  const answer = await client.get('/api/v1/transcriptions');
  const list = operationOf('listTranscriptions');
  assert.deepEqual(check.faultsOf(list, answer), []);
  const faulty = [
    { ...answer, status: 418 },
    { ...answer, headers: new Headers({ 'content-type': 'application/json' }) },
    { ...answer, body: { data: {} } },
    { ...answer, body: { data: [{ id: 'x' }] } },
    { ...answer, status: 400, body: { error: { code: 'queue_unavailable', message: '' } } },
  ];
  for (const one of faulty) assert.notDeepEqual(check.faultsOf(list, one), []);
});
