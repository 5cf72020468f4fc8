import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sendToMcp } from '../support/agent-client.ts';
import { ApiClient, newClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { runService } from '../support/service.ts';

const service = await runService({ after });
const client = await newClient(service);
const stranger = new ApiClient(service.url);

const protectedOperations: [method: string, path: string][] = [
  ['POST', '/api/v1/uploads'],
  ['POST', '/api/v1/uploads/multipart'],
  ['DELETE', '/api/v1/uploads/multipart'],
  ['POST', '/api/v1/transcriptions'],
  ['GET', '/api/v1/transcriptions'],
  ['GET', '/api/v1/transcriptions/5b7cf6a5-1d3f-4a43-9a4c-4a6f2b0d5a55'],
  ['POST', '/api/v1/webhook-subscriptions'],
  ['GET', '/api/v1/webhook-subscriptions'],
  ['DELETE', '/api/v1/webhook-subscriptions/5b7cf6a5-1d3f-4a43-9a4c-4a6f2b0d5a55'],
];

test('every protected operation refuses a request without a bearer key as missing_api_key', async () => {
  for (const [method, path] of protectedOperations) {
    for (const headers of [
      {},
      { authorization: '' },
      { authorization: 'Bearer' },
      { authorization: 'Basic dTpw' },
    ]) {
      const answer = await stranger.send(method, path, undefined, headers);
      assertError(answer, { status: 401, code: 'missing_api_key' });
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  }
});

test('every protected operation refuses a malformed or unknown key as invalid_api_key', async () => {
  const goodShape = `lh_${'0'.repeat(36)}`;
  for (const [method, path] of protectedOperations) {
    for (const key of [
      'x',
      'lh_',
      goodShape,
      `${client.key}x`,
      client.key?.toUpperCase(),
      `${'a'.repeat(4000)}`,
    ]) {
      const answer = await stranger.send(method, path, undefined, { authorization: `Bearer ${key}` });
      assertError(answer, { status: 401, code: 'invalid_api_key' });
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
    }
  }
});

test('the key is asked for before the body is looked at', async () => {
  assertError(await stranger.post('/api/v1/transcriptions', '{'), { status: 401, code: 'missing_api_key' });
});

test('the scheme of the Authorization header is case-insensitive', async () => {
  const answer = await stranger.send('GET', '/api/v1/transcriptions', undefined, {
    authorization: `bearer ${client.key}`,
  });
  assert.equal(answer.status, 200);
});

test('an unknown path is not_found, with and without a key', async () => {
  for (const path of [
    '/api/v1/nothing',
    '/api/v2',
    '/api/v1/transcriptions/a/b',
    '/%ff',
    '/api/v1/transcriptions/%zz',
    '/favicon.ico',
  ]) {
    assertError(await client.get(path), { status: 404, code: 'not_found' });
    assertError(await stranger.get(path), { status: 404, code: 'not_found' });
  }
});

test('a known path with another method is method_not_allowed and says which it takes', async () => {
  const cases: [string, string, string][] = [
    ['PUT', '/api/v1/transcriptions', 'GET, HEAD, POST'],
    ['DELETE', '/api/v1/transcriptions/5b7cf6a5-1d3f-4a43-9a4c-4a6f2b0d5a55', 'GET, HEAD'],
    ['GET', '/api/v1/uploads', 'POST'],
    ['PUT', '/api/v1/uploads/multipart', 'DELETE, GET, HEAD, POST'],
    ['POST', '/api/v1', 'GET, HEAD'],
    ['PATCH', '/api/v1/webhook-subscriptions', 'GET, HEAD, POST'],
  ];
  for (const [method, path, allow] of cases) {
    const answer = await stranger.send(method, path);
    assertError(answer, { status: 405, code: 'method_not_allowed' });
    assert.equal(answer.headers.get('allow'), allow);
  }
});

test("a body that is not a JSON object is refused with the operation's own code", async () => {
  const operations: [string, string, string][] = [
    ['POST', '/api/v1/uploads', 'invalid_upload'],
    ['POST', '/api/v1/uploads/multipart', 'invalid_multipart_upload'],
    ['DELETE', '/api/v1/uploads/multipart', 'invalid_multipart_upload'],
    ['POST', '/api/v1/transcriptions', 'invalid_request'],
    ['POST', '/api/v1/webhook-subscriptions', 'invalid_request'],
  ];
  for (const [method, path, code] of operations) {
    for (const body of ['', '{', 'null', '[]', '"text"', '7', 'true', '{"a":1}}', '\u0000']) {
      assertError(await client.send(method, path, body), { status: 400, code });
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    assertError(await client.send(method, path, 'filename=a.mp3&size=1', form), { status: 400, code });
    assertError(
      await client.send(method, path, '{"filename":"a.mp3","size":1}', { 'content-type': 'text/plain' }),
      { status: 400, code },
    );
    assertError(await client.send(method, path), { status: 400, code });
  }
});

test('a body over 1 MiB is request_too_large', async () => {
  const body = JSON.stringify({ filename: 'a'.repeat(1024 * 1024), size: 1 });
  for (const path of ['/api/v1/uploads', '/api/v1/transcriptions', '/api/v1/webhook-subscriptions']) {
    assertError(await client.post(path, body), { status: 413, code: 'request_too_large' });
  }
});

test('discovery needs no key and gives the addresses of the documentation', async () => {
  const { status, body } = await stranger.get('/api/v1');
  assert.equal(status, 200);
  assert.deepEqual(body, {
    data: {
      name: 'longhand',
      version: 'v1',
      documentation_url: `${service.url}/docs`,
      openapi_url: `${service.url}/api/v1/openapi.json`,
      mcp_url: `${service.url}/mcp`,
    },
  });
});

test('the OpenAPI document is 3.1 and lists every operation of the specification, and our two additions', async () => {
  const { body } = await stranger.get('/api/v1/openapi.json');
  assert.match(body.openapi, /^3\.1\./);
  const operations = Object.entries(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const additions = ['GET /api/v1/transcriptions/{id}/events', 'GET /api/v1/uploads/multipart'];
  const specified = operations.filter((operation) => !additions.includes(operation));
  assert.equal(specified.length, operations.length - additions.length);
  assert.deepEqual(specified.toSorted(), [
    'DELETE /api/v1/uploads/multipart',
    'DELETE /api/v1/webhook-subscriptions/{id}',
    'GET /api/v1',
    'GET /api/v1/transcriptions',
    'GET /api/v1/transcriptions/{id}',
    'GET /api/v1/webhook-subscriptions',
    'POST /api/v1/transcriptions',
    'POST /api/v1/uploads',
    'POST /api/v1/uploads/multipart',
    'POST /api/v1/webhook-subscriptions',
  ]);
});

test('the reference and the home page name nothing outside this server', async () => {
  for (const path of ['/', '/docs']) {
    const { status, body, headers } = await stranger.get(path);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /text\/html/);
    const outside = [...String(body).matchAll(/(?:src|href)="(https?:)?\/\/[^"]+"/g)].map(([link]) => link);
    assert.deepEqual(outside, []);
  }
});

test('healthz and readyz answer', async () => {
  assert.equal((await stranger.get('/healthz')).status, 200);
  assert.equal((await stranger.get('/readyz')).status, 200);
});

test('the request rate of an account is limited, with headers that say so', async (t) => {
  const limited = await runService(t, { LONGHAND_RATE_REQUESTS: '5', LONGHAND_RATE_CREATES: '2' });

  await t.test('over REST', async () => {
    const caller = await newClient(limited);
    const creates = [];
    for (let count = 0; count < 3; count += 1) creates.push(await caller.post('/api/v1/transcriptions', {}));
    assert.deepEqual(
      creates.map(({ status }) => status),
      [400, 400, 429],
    );
    const [, , refused] = creates;
    assert.ok(refused);
    assertError(refused, { status: 429, code: 'rate_limited' });
    assert.ok(Number(refused.headers.get('retry-after')) >= 1);
    assert.match(refused.headers.get('ratelimit-policy') ?? '', /q=2;w=60/);
    assert.match(refused.headers.get('ratelimit') ?? '', /r=0;t=\d+/);
    const reads = [];
    for (let count = 0; count < 4; count += 1)
      reads.push((await caller.get('/api/v1/transcriptions')).status);
    assert.deepEqual(reads, [200, 200, 200, 429]);
    const other = await newClient(limited);
    assert.equal((await other.get('/api/v1/transcriptions')).status, 200);
  });

  await t.test('over MCP, where an agent is told by the same code', async () => {
    const agent = await newClient(limited);
    const transcribe = { method: 'tools/call', params: { name: 'transcribe', arguments: {} } };
    const errors = [];
    for (let count = 0; count < 3; count += 1) {
      const { result } = (await sendToMcp(agent, transcribe)).body;
      assert.equal(result.isError, true);
      errors.push(result.structuredContent.error);
    }
    assert.deepEqual(
      errors.map(({ code }) => code),
      ['invalid_source', 'invalid_source', 'rate_limited'],
    );
    assert.ok(errors[2].retry_after_seconds >= 1);
    // A call that starts a job is a request twice over: to /mcp, and of the tool.
    assertError(await sendToMcp(agent, transcribe), { status: 429, code: 'rate_limited' });
    assertError(await agent.get('/api/v1/transcriptions'), { status: 429, code: 'rate_limited' });
  });
});
