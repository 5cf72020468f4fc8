/** Prepare and transfer: what a signed URL allows, and what it refuses, is the same on both storages. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { onBothStorages, type StorageContext } from '../support/storage-suite.ts';
import { partBytes, putPart, putSingle } from '../support/upload-client.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const run = promisify(execFile);
const mebibyte = 1024 * 1024;
const minute = 60_000;

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

async function stored({ store }: StorageContext, key: string): Promise<Buffer | undefined> {
  return (await store.head(key)) && buffer(await store.read(key));
}

onBothStorages('transfer', (storageCase) => {
  storageCase('a single PUT is stored whole and answers with the quoted MD5 as ETag', async (context) => {
    const bytes = wavBytes(2);
    const prepared = await context.client.prepareSingle(bytes.length);
    assert.equal(prepared.storage, context.storage);
    assert.equal(prepared.content_type, 'audio/wav');
    assert.deepEqual(prepared.upload.headers, { 'Content-Type': 'audio/wav' });
    const response = await putSingle(prepared, bytes);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('etag'), `"${md5(bytes)}"`);
    assert.deepEqual(await stored(context, prepared.key), bytes);
  });

  storageCase('curl sends a file with nothing but the prepared URL and headers', async (context, t) => {
    const dir = await mkdtemp(join(tmpdir(), 'longhand-curl-'));
    t.after(() => rm(dir, { recursive: true }));
    const bytes = wavBytes(40);
    await writeFile(join(dir, 'talk.wav'), bytes);
    const prepared = await context.client.prepareSingle(bytes.length);
    const { stdout } = await run('curl', [
      ...['-sS', '-o', join(dir, 'answer'), '-w', '%{http_code}', '-X', 'PUT'],
      ...['-H', `Content-Type: ${prepared.upload.headers['Content-Type']}`],
      ...['--data-binary', `@${join(dir, 'talk.wav')}`, prepared.upload.url],
    ]);
    assert.equal(stdout, '200');
    assert.deepEqual(await stored(context, prepared.key), bytes);
  });

  storageCase('a PUT of another length or content type than prepared is refused', async (context) => {
    const bytes = wavBytes(1);
    const { key, upload } = await context.client.prepareSingle(bytes.length);
    const attempts: [Record<string, string>, Buffer<ArrayBuffer>][] = [
      [upload.headers, bytes.subarray(1)],
      [upload.headers, Buffer.concat([bytes, bytes])],
      [upload.headers, Buffer.alloc(0)],
      [{ 'Content-Type': 'text/html' }, bytes],
      [{}, bytes],
    ];
    for (const [headers, body] of attempts) {
      const response = await fetch(upload.url, { method: 'PUT', headers, body });
      assert.equal(response.status, 403);
      assert.match(await response.text(), /<Code>(SignatureDoesNotMatch|AccessDenied)<\/Code>/);
    }
    assert.equal(await context.store.head(key), undefined);
  });

  storageCase('a body without a length is refused', async (context) => {
    const bytes = wavBytes(1);
    const { key, upload } = await context.client.prepareSingle(bytes.length);
    const response = await fetch(upload.url, {
      method: 'PUT',
      headers: upload.headers,
      body: new Blob([bytes]).stream(),
      duplex: 'half',
    });
    assert.ok([403, 411].includes(response.status), String(response.status));
    if (context.storage === 'local') assert.equal(response.status, 411);
    assert.equal(await context.store.head(key), undefined);
  });

  storageCase('a single URL lives fifteen minutes, a part URL four hours', async (context) => {
    const bytes = Buffer.alloc(17 * mebibyte);
    for (const { ageMs, single, part } of [
      { ageMs: 14 * minute, single: 200, part: 200 },
      { ageMs: 16 * minute, single: 403, part: 200 },
      { ageMs: 239 * minute, single: 403, part: 200 },
      { ageMs: 241 * minute, single: 403, part: 403 },
    ]) {
      context.clock.skewMs = -ageMs;
      const one = await context.client.prepareSingle(3);
      const many = await context.client.prepareMultipart(bytes.length);
      context.clock.skewMs = 0;
      assert.equal((await putSingle(one, Buffer.from('abc'))).status, single, `${ageMs / minute} minutes`);
      const url = many.upload.parts[1]?.url ?? '';
      const put = await fetch(url, { method: 'PUT', body: partBytes(many, bytes, 2) });
      assert.equal(put.status, part, `${ageMs / minute} minutes`);
    }
  });

  storageCase('a changed key, expiry, part, upload id or signature is refused', async (context) => {
    const bytes = wavBytes(1);
    const one = await context.client.prepareSingle(bytes.length);
    const other = await context.client.prepareSingle(bytes.length);
    const many = await context.client.prepareMultipart(17 * mebibyte);
    const lastPart = many.upload.parts[1]?.url ?? '';
    const signature = context.storage === 's3' ? 'X-Amz-Signature' : 'signature';
    const expiry = context.storage === 's3' ? 'X-Amz-Expires' : 'expires';
    const forged = [
      one.upload.url.replace(one.key, other.key),
      changed(one.upload.url, expiry, (text) => String(Number(text) + 1)),
      changed(one.upload.url, signature, (text) => text.replace(/^./, (c) => (c === '0' ? '1' : '0'))),
      changed(one.upload.url, signature, () => ''),
      changed(lastPart, 'partNumber', () => '3'),
      changed(lastPart, 'uploadId', (text) => text.replace(/.$/, (c) => (c === 'a' ? 'b' : 'a'))),
    ];
    for (const url of forged) {
      const isPart = url.includes('partNumber');
      const response = await fetch(url, {
        method: 'PUT',
        headers: isPart ? {} : one.upload.headers,
        body: isPart ? Buffer.alloc(mebibyte) : bytes,
      });
      assert.equal(response.status, 403, url);
    }
    assert.equal(await context.store.head(one.key), undefined);
    assert.equal(await context.store.head(other.key), undefined);
  });

  storageCase('a signed URL serves no other method', async (context) => {
    const bytes = wavBytes(1);
    const prepared = await context.client.prepareSingle(bytes.length);
    assert.equal((await putSingle(prepared, bytes)).status, 200);
    for (const method of ['GET', 'HEAD', 'DELETE']) {
      const response = await fetch(prepared.upload.url, { method, headers: prepared.upload.headers });
      assert.equal(response.status, 403, method);
    }
    const post = await fetch(prepared.upload.url, {
      method: 'POST',
      headers: prepared.upload.headers,
      body: bytes,
    });
    assert.ok(post.status >= 400 && post.status < 500, `POST ${post.status}`);
    assert.deepEqual(await stored(context, prepared.key), bytes);
  });

  storageCase('a part of another length than prepared is refused', async (context) => {
    const prepared = await context.client.prepareMultipart(17 * mebibyte);
    const url = prepared.upload.parts[1]?.url ?? '';
    for (const size of [mebibyte - 1, mebibyte + 1]) {
      const response = await fetch(url, { method: 'PUT', body: Buffer.alloc(size) });
      assert.equal(response.status, 403);
    }
  });

  storageCase('a transfer that breaks off leaves nothing behind, and can be made again', async (context) => {
    const bytes = wavBytes(60);
    const prepared = await context.client.prepareSingle(bytes.length);
    await breakOff(prepared.upload, bytes, bytes.length >> 1);
    assert.equal(await context.store.head(prepared.key), undefined);
    assert.equal((await putSingle(prepared, bytes)).status, 200);
    assert.deepEqual(await stored(context, prepared.key), bytes);
  });

  storageCase('a broken second transfer of a part keeps the first', async (context) => {
    const bytes = Buffer.concat([wavBytes(500), wavBytes(60)]);
    const prepared = await context.client.prepareMultipart(bytes.length);
    const first = await putPart(prepared, bytes, 1);
    const url = prepared.upload.parts[0]?.url ?? '';
    await breakOff({ url, headers: {} }, Buffer.alloc(prepared.upload.part_size, 9), 5 * mebibyte);
    const parts = await Promise.all(
      prepared.upload.parts.slice(1).map(({ part_number }) => putPart(prepared, bytes, part_number)),
    );
    assert.equal((await context.client.complete(prepared, [first, ...parts])).status, 200);
    assert.deepEqual(await stored(context, prepared.key), bytes);
  });
});

function changed(url: string, name: string, change: (text: string) => string): string {
  const parsed = new URL(url);
  parsed.searchParams.set(name, change(parsed.searchParams.get(name) ?? ''));
  return parsed.href;
}

/** Sends the head of a PUT and a first piece of its body, then cuts the connection. */
async function breakOff(
  { url, headers }: { url: string; headers: Record<string, string> },
  bytes: Buffer,
  sentBytes: number,
): Promise<void> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const lines = [`PUT ${pathname}${search} HTTP/1.1`, `Host: ${host}`, `Content-Length: ${bytes.length}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(bytes.subarray(0, sentBytes), () => resolve());
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.destroy();
  await closed;
}
