/** What a service that is killed in the middle of uploads has promised, and what it has not. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { type ApiClient, newClient } from '../support/api-client.ts';
import { onCleanup } from '../support/cleanup.ts';
import { startService, testEnvironment } from '../support/service.ts';
import { wavBytes } from '../support/wav-bytes.ts';

const bytes = wavBytes(20);

test('after a kill −9 acknowledged uploads are whole, and half ones are of no use', async (t) => {
  // Without a worker a job ends in 503 once every check of its upload has passed.
  const environment = await testEnvironment(t, { LONGHAND_ROLE: 'api' });
  const first = await startService(environment);
  onCleanup(t, () => first.stop('SIGKILL'));
  const client = await newClient(first);
  const whole = await Promise.all([1, 2, 3].map(() => client.upload('talk.wav', bytes)));
  const halves = await Promise.all([0.1, 0.5, 0.99].map((share) => halfUpload(client, share)));
  await first.stop('SIGKILL');
  for (const { socket } of halves) socket.destroy();

  const second = await startService(environment);
  onCleanup(t, () => second.stop());
  const again = client.at(second.url);
  for (const upload of whole) {
    const answer = await again.post('/api/v1/transcriptions', { upload });
    assert.deepEqual([answer.status, answer.body.error.code], [503, 'api_processing_unavailable']);
  }
  for (const { upload } of halves) {
    const answer = await again.post('/api/v1/transcriptions', { upload });
    assert.deepEqual([answer.status, answer.body.error.code], [404, 'upload_not_found']);
  }
});

/** A PUT of which this share has arrived, on an open connection. */
async function halfUpload(client: ApiClient, share: number) {
  const prepare = { filename: 'talk.wav', size: bytes.length };
  const { key, storage, content_type, upload } = (await client.post('/api/v1/uploads', prepare)).body.data;
  const { hostname, port, pathname, search, host } = new URL(upload.url);
  const socket: Socket = connect(Number(port), hostname);
  socket.on('error', () => {}); // The service is killed under it.
  const head = `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${content_type}\r\nContent-Length: ${bytes.length}\r\n\r\n`;
  await once(socket, 'connect');
  await new Promise<void>((resolve) => {
    socket.write(Buffer.concat([Buffer.from(head), bytes.subarray(0, bytes.length * share)]), () =>
      resolve(),
    );
  });
  return { socket, upload: { filename: 'talk.wav', key, storage, size: bytes.length } };
}
