/** What is no proper HTTP request, and what HTTP allows but Node or the framework would answer in words of their own. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { sendRaw } from '../support/raw-http.ts';
import { runService } from '../support/service.ts';

const service = await runService({ after });
const client = await newClient(service);
const path = '/api/v1/transcriptions';

function request(method: string, headers: string[], body = ''): string {
  const lines = [`${method} ${path} HTTP/1.1`, `authorization: Bearer ${client.key}`, ...headers];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}

/** Headers may take half a minute: sent before the other tests, and looked at after them. */
const unfinished = sendRaw(service.url, `GET ${path} HTTP/1.1\r\nhost: a\r\nx-more: `, 58_000);
unfinished.catch(() => {}); // The test below shows it.

const json = ['host: a', 'content-type: application/json'];

test('what cannot be read as HTTP is malformed_request in the error envelope, and the connection is closed', async () => {
  const broken: Record<string, string> = {
    'length and chunks at once': request(
      'POST',
      [...json, 'content-length: 4', 'transfer-encoding: chunked'],
      '0\r\n\r\n',
    ),
    'two lengths': request('POST', [...json, 'content-length: 2', 'content-length: 3'], '{} '),
    'a negative length': request('POST', [...json, 'content-length: -1']),
    'a chunk without a size': request(
      'POST',
      [...json, 'transfer-encoding: chunked'],
      'zz\r\n{}\r\n0\r\n\r\n',
    ),
    'a chunk longer than its size': request(
      'POST',
      [...json, 'transfer-encoding: chunked'],
      '1\r\n{}\r\n0\r\n\r\n',
    ),
    'no request line': 'hello there\r\n\r\n',
    'a method nobody knows': `BREW ${path} HTTP/1.1\r\nhost: a\r\n\r\n`,
    'a space in the address': `GET /api/v1/a b HTTP/1.1\r\nhost: a\r\n\r\n`,
    'a header without a name': `GET ${path} HTTP/1.1\r\nhost: a\r\n: b\r\n\r\n`,
    'a header with a bare CR': `GET ${path} HTTP/1.1\r\nhost: a\r\nx: a\rb\r\n\r\n`,
    'a header with a NUL': `GET ${path} HTTP/1.1\r\nhost: a\r\nx: a\0b\r\n\r\n`,
    'a TLS greeting': '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'no Host': request('GET', []),
  };
  for (const [what, text] of Object.entries(broken)) {
    const [answer, ...others] = await sendRaw(service.url, Buffer.from(text, 'latin1'));
    assert.ok(answer && others.length === 0, what);
    assertError(answer, { status: 400, code: 'malformed_request' });
    assert.equal(answer.headers.get('connection'), 'close', what);
    assert.equal(answer.headers.get('cache-control'), 'no-store', what);
  }
});

test('headers over 16 KiB are headers_too_large', async () => {
  const tooLarge = [
    request('GET', ['host: a', `x-long: ${'a'.repeat(20_000)}`]),
    request('GET', ['host: a', ...Array.from({ length: 500 }, (_, at) => `x-many-${at}: ${'a'.repeat(50)}`)]),
    `GET ${path}?a=${'a'.repeat(30_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
    request('GET', ['host: a', `x-long: ${'a'.repeat(2_000_000)}`]),
  ];
  for (const text of tooLarge) {
    const [answer, ...others] = await sendRaw(service.url, text);
    assert.ok(answer && others.length === 0);
    assertError(answer, { status: 431, code: 'headers_too_large' });
    assert.equal(answer.headers.get('connection'), 'close');
  }
});

test('a request before a broken one on the same connection gets its own answer first', async () => {
  const answers = await sendRaw(service.url, `${request('GET', ['host: a'])}nonsense\r\n\r\n`);
  assert.deepEqual(
    answers.map(({ status, body }) => [status, body.error?.code]),
    [
      [200, undefined],
      [400, 'malformed_request'],
    ],
  );
});

test('an expectation nobody knows is ignored, and HTTP/1.0 needs no Host', async () => {
  const [expecting] = await sendRaw(
    service.url,
    request('GET', ['host: a', 'expect: tea', 'connection: close']),
  );
  assert.equal(expecting?.status, 200);
  const [old] = await sendRaw(service.url, `GET /api/v1 HTTP/1.0\r\n\r\n`);
  assert.equal(old?.status, 200);
  assert.equal(old.body.data.version, 'v1');
});

test('a tunnel is method_not_allowed', async () => {
  const [answer] = await sendRaw(service.url, 'CONNECT example.com:443 HTTP/1.1\r\nhost: a\r\n\r\n');
  assert.ok(answer);
  assertError(answer, { status: 405, code: 'method_not_allowed' });
  assert.ok(answer.headers.get('allow'));
});

test('a Content-Type that cannot be read counts as none, on every operation with and without a body', async () => {
  const operations: [string, string, number, string][] = [
    ['POST', '/api/v1/uploads', 400, 'invalid_upload'],
    ['POST', '/api/v1/uploads/multipart', 400, 'invalid_multipart_upload'],
    ['DELETE', '/api/v1/uploads/multipart', 400, 'invalid_multipart_upload'],
    ['POST', '/api/v1/transcriptions', 400, 'invalid_request'],
    ['POST', '/api/v1/webhook-subscriptions', 400, 'invalid_request'],
    ['DELETE', '/api/v1/webhook-subscriptions/5b7cf6a5-1d3f-4a43-9a4c-4a6f2b0d5a55', 404, 'not_found'],
  ];
  for (const [method, at, status, code] of operations) {
    for (const type of [
      'json',
      'application/',
      '/json',
      'a b/c',
      'application/json/x',
      ';',
      'applicatiön/json',
    ]) {
      const answer = await client.send(method, at, '{}', { 'content-type': type });
      assertError(answer, { status, code });
    }
  }
});

test('a body that is not UTF-8 is not a JSON object', async () => {
  const body = Buffer.from('{"filename":"a\xff.mp3","size":1}', 'latin1');
  assertError(await client.send('POST', '/api/v1/uploads', body), { status: 400, code: 'invalid_upload' });
});

test('headers that do not arrive within half a minute are request_timeout, and the connection is closed', async () => {
  const [answer, ...others] = await unfinished;
  assert.ok(answer && others.length === 0);
  assertError(answer, { status: 408, code: 'request_timeout' });
  assert.equal(answer.headers.get('connection'), 'close');
});
