/** The resources of the specification, field by field, as a client sees them. docs/conformance.md lists what proves what. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { testCertificate, testCertificateKey } from '../fixtures/tls-certificate.ts';
import { newClient } from '../support/api-client.ts';
import { assertError } from '../support/assert-answer.ts';
import { eventually } from '../support/eventually.ts';
import { runService, temporaryDataDir } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

/** Media that comes when a test says so; everything else is not there. */
const held: ServerResponse[] = [];
const site = createServer((request, response) => {
  if (request.url === '/slow.wav') held.push(response);
  else response.writeHead(404).end();
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
after(() => {
  site.closeAllConnections();
  site.close();
});
const target = `127.0.0.1:${(site.address() as AddressInfo).port}`;

const service = await runService({ after }, { LONGHAND_EGRESS_ALLOW: target });
const client = await newClient(service);
const path = '/api/v1/transcriptions';
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

function assertUtc(text: string): void {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
  assert.ok(Math.abs(Date.parse(text) - Date.now()) < 600_000);
}

test('a job is processing until it ends, and has text, segments and duration only then', async () => {
  const created = await client.post(path, { source_url: `http://${target}/slow.wav` });
  assert.equal(created.status, 202);
  const { id, created_at } = created.body.data;
  assert.deepEqual(created.body, { data: { id, filename: 'slow.wav', status: 'processing', created_at } });
  assert.match(id, uuid);
  assertUtc(created_at);
  const running = await client.get(created.headers.get('location') ?? '');
  const nothing = { duration_seconds: null, text: null, segments: null, error: null };
  assert.deepEqual(running.body, {
    data: { id, filename: 'slow.wav', status: 'processing', created_at, ...nothing },
  });
  const response = await eventually(() => held.shift(), 'the service to ask for the media');
  response.writeHead(200, { 'content-type': 'audio/wav' }).end(wavBytes(2, 0));
  const { body } = await client.ended(id);
  assert.deepEqual(body, {
    data: {
      id,
      filename: 'slow.wav',
      status: 'completed',
      created_at,
      duration_seconds: 2,
      text: '',
      segments: [],
      error: null,
    },
  });
  assert.deepEqual((await client.get(`${path}/${id}`)).body, body);
});

test('a failed job has an error, and neither text nor segments', async () => {
  const created = await client.post(path, { source_url: `http://${target}/gone.mp3` });
  const { body } = await client.ended(created.body.data.id);
  const { error, ...rest } = body.data;
  assert.match(error, /^[A-Z].+\.$/);
  const { id, filename, created_at } = created.body.data;
  const nothing = { duration_seconds: null, text: null, segments: null };
  assert.deepEqual(rest, { id, filename, status: 'failed', created_at, ...nothing });
  const [listed] = (await client.get(`${path}?limit=1`)).body.data;
  assert.deepEqual(listed, { ...rest, error });
});

test('the list is one window of the newest 25 unless limit says otherwise, without a cursor', async () => {
  const lister = await newClient(service);
  const ids: string[] = [];
  for (let count = 0; count < 27; count += 1) {
    const created = await lister.post(path, { source_url: `http://${target}/${count}.mp3` });
    ids.unshift(created.body.data.id);
  }
  const listed = await lister.get(path);
  assert.deepEqual(Object.keys(listed.body), ['data']);
  assert.deepEqual(
    listed.body.data.map(({ id }: { id: string }) => id),
    ids.slice(0, 25),
  );
  assert.equal(listed.headers.get('link'), null);
  const all = await lister.get(`${path}?limit=100`);
  assert.equal(all.body.data.length, 27);
  const fields = ['created_at', 'duration_seconds', 'error', 'filename', 'id', 'segments', 'status', 'text'];
  for (const job of all.body.data) {
    assert.deepEqual(Object.keys(job).toSorted(), fields);
    assert.deepEqual([job.text, job.segments], [null, null]);
    assert.ok(job.duration_seconds === null || Number.isInteger(job.duration_seconds));
    assert.ok(['processing', 'completed', 'failed'].includes(job.status));
    assert.match(job.id, uuid);
    assertUtc(job.created_at);
  }
});

test('the target of a single upload has exactly the specified fields, and the PUT takes its headers', async () => {
  const bytes = wavBytes(1, 0);
  const { status, body } = await client.post('/api/v1/uploads', {
    filename: 'a.wav',
    size: bytes.length,
    content_type: null,
  });
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body), ['data']);
  const { key, storage, content_type, upload, ...others } = body.data;
  assert.deepEqual(others, {});
  assert.equal(typeof key, 'string');
  assert.ok(['s3', 'local'].includes(storage));
  assert.match(content_type, /^audio\//);
  assert.deepEqual(Object.keys(upload).toSorted(), ['headers', 'method', 'type', 'url']);
  assert.deepEqual([upload.type, upload.method], ['single', 'PUT']);
  for (const value of Object.values(upload.headers)) assert.equal(typeof value, 'string');
  const put = await fetch(upload.url, { method: upload.method, headers: upload.headers, body: bytes });
  assert.equal(put.status, 200);
  assert.ok(put.headers.get('etag'));
});

test('the target of a multipart upload has exactly the specified fields, its parts in order', async () => {
  const size = 104_857_600;
  const { body } = await client.post('/api/v1/uploads', { filename: 'a.wav', size });
  const { upload } = body.data;
  assert.deepEqual(Object.keys(upload).toSorted(), ['part_size', 'parts', 'type', 'upload_id']);
  assert.equal(upload.type, 'multipart');
  assert.equal(upload.part_size, 16_777_216);
  assert.equal(typeof upload.upload_id, 'string');
  const numbers = upload.parts.map(({ part_number }: { part_number: number }) => part_number);
  assert.deepEqual(numbers, [1, 2, 3, 4, 5, 6, 7]);
  for (const part of upload.parts) {
    assert.deepEqual(Object.keys(part).toSorted(), ['part_number', 'url']);
    assert.ok(URL.canParse(part.url));
  }
  const session = { key: body.data.key, storage: body.data.storage, upload_id: upload.upload_id };
  const aborted = await client.send('DELETE', '/api/v1/uploads/multipart', session);
  assert.deepEqual([aborted.status, aborted.body], [204, undefined]);
  assert.equal(aborted.headers.get('content-type'), null);
});

test('a part without an ETag or a positive part_number is invalid_multipart_parts', async () => {
  const { body } = await client.post('/api/v1/uploads', { filename: 'a.wav', size: 104_857_600 });
  const { key, storage, upload } = body.data;
  const session = { key, storage, upload_id: upload.upload_id };
  const good = { etag: '"d41d8cd98f00b204e9800998ecf8427e"', part_number: 1 };
  const wrong = [
    [{ part_number: 1 }],
    [{ etag: good.etag }],
    [{ ...good, etag: '' }],
    [{ ...good, etag: null }],
    [{ ...good, part_number: 0 }],
    [{ ...good, part_number: -1 }],
    [{ ...good, part_number: '1' }],
    [],
    'none',
    null,
  ];
  for (const parts of wrong) {
    const answer = await client.post('/api/v1/uploads/multipart', { ...session, parts });
    assertError(answer, { status: 400, code: 'invalid_multipart_parts' });
  }
  for (const field of ['key', 'storage', 'upload_id']) {
    const { [field]: _left, ...incomplete } = { ...session, parts: [good] } as Record<string, unknown>;
    for (const method of ['POST', 'DELETE']) {
      for (const body of [incomplete, { ...incomplete, [field]: 'other' }]) {
        const answer = await client.send(method, '/api/v1/uploads/multipart', body);
        assertError(answer, { status: 400, code: 'invalid_multipart_upload' });
      }
    }
  }
  await client.send('DELETE', '/api/v1/uploads/multipart', session);
});

test('a declared size of exactly the limit of the plan is taken, one byte more is file_too_large', async () => {
  const free = await newClient(service, 'free');
  const limit = 500 * 1024 * 1024;
  assert.equal((await free.post('/api/v1/uploads', { filename: 'a.wav', size: limit })).status, 200);
  assertError(await free.post('/api/v1/uploads', { filename: 'a.wav', size: limit + 1 }), {
    status: 413,
    code: 'file_too_large',
  });
});

test('with a certificate the service speaks HTTPS', async (t) => {
  const directory = await temporaryDataDir(t);
  const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
  await writeFile(cert, testCertificate);
  await writeFile(key, testCertificateKey, { mode: 0o600 });
  const secure = await runService(t, { LONGHAND_TLS_CERT: cert, LONGHAND_TLS_KEY: key });
  assert.match(secure.url, /^https:/);
  const body = await new Promise<string>((resolve, reject) => {
    const request = get(`${secure.url}/api/v1`, {
      ca: testCertificate,
      checkServerIdentity: () => undefined,
    });
    request.on('error', reject);
    request.on('response', async (response) => {
      resolve(Buffer.concat(await Array.fromAsync(response as AsyncIterable<Buffer>)).toString());
    });
  });
  assert.equal(JSON.parse(body).data.version, 'v1');
});
