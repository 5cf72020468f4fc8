/** Whoever has no signed URL cannot make the service read: a refused body is cut off. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { putSingle, UploadClient } from '../support/upload-client.ts';
import { startUploadService } from '../support/upload-service.ts';

const mebibyte = 1024 * 1024;

/** Sends until the service closes the connection; gives its answer and how much it could send. */
async function sendEndlessly(url: string, path: string): Promise<{ answer: string; sentBytes: number }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let answer = '';
  let sentBytes = 0;
  socket.on('data', (data) => {
    answer += data;
  });
  await once(socket, 'connect');
  socket.write(`PUT ${path} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: ${2 ** 40}\r\n\r\n`);
  const block = Buffer.alloc(mebibyte);
  socket.on('error', () => {}); // A reset is one way to close.
  while (!socket.destroyed && sentBytes < 1024 * mebibyte) {
    sentBytes += block.length;
    await new Promise((resolve) => socket.write(block, resolve));
  }
  socket.destroy();
  return { answer, sentBytes };
}

test('the body of an unsigned PUT is not swallowed: the refusal comes, then the connection ends', async (t) => {
  const { url } = await startUploadService(t);
  const path = `/objects/uploads/${crypto.randomUUID()}/${crypto.randomUUID()}?signature=a&expires=9999999999`;
  const { answer, sentBytes } = await sendEndlessly(url, path);
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.match(answer, /<Code>SignatureDoesNotMatch<\/Code>/);
  // What was under way in the buffers of both ends, and not a gigabyte.
  assert.ok(sentBytes < 64 * mebibyte, `${sentBytes} bytes were taken`);
});

test('a small refused body leaves the connection usable', async (t) => {
  const service = await startUploadService(t);
  const { headers } = await service.createAccount('free');
  const prepared = await new UploadClient(service.url, headers).prepareSingle(1000);
  const wrong = await putSingle(prepared, Buffer.alloc(999));
  assert.equal(wrong.status, 403);
  assert.match(await wrong.text(), /<Code>SignatureDoesNotMatch<\/Code>/);
  assert.equal((await putSingle(prepared, Buffer.alloc(1000))).status, 200);
});
