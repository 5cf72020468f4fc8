/** Links in answers lead to where the caller reached the service, unless the operator says otherwise. */
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { freePort } from '../support/free-port.ts';
import { runService } from '../support/service.ts';

const key = `lh_${'c'.repeat(36)}`;

/** fetch does not let its caller choose the Host. */
async function ask(port: string, path: string, host: string, body?: object) {
  const sent = request({
    host: '127.0.0.1',
    port,
    path,
    method: body ? 'POST' : 'GET',
    headers: {
      host,
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example;proto=https',
    },
  });
  sent.end(body && JSON.stringify(body));
  const [answer] = await new Promise<[AsyncIterable<Buffer>]>((resolve, reject) => {
    sent.on('response', (response) => resolve([response]));
    sent.on('error', reject);
  });
  return JSON.parse(await text(answer));
}

async function links(port: string, host: string): Promise<string[]> {
  const discovery = await ask(port, '/api/v1', host);
  const prepared = await ask(port, '/api/v1/uploads', host, { filename: 'a.mp3', size: 10 });
  return [discovery.data.documentation_url, prepared.data.upload.url];
}

test('on all addresses and without a public URL, links name the host of the request and of no proxy header', async (t) => {
  const service = await runService(t, { LONGHAND_HOST: '0.0.0.0', LONGHAND_API_KEY: key });
  const { port } = new URL(service.url);
  for (const host of [`192.168.7.7:${port}`, 'box.lan', `[fd00::1]:${port}`]) {
    for (const link of await links(port, host)) assert.ok(link.startsWith(`http://${host}/`), link);
  }
  for (const link of await links(port, 'a.example/@evil'))
    assert.ok(link.startsWith(`http://localhost:${port}/`), link);
});

test('with a public URL, links name it whatever the request says', async (t) => {
  const port = String(await freePort());
  await runService(t, {
    LONGHAND_PORT: port,
    LONGHAND_PUBLIC_URL: 'https://text.example/longhand/',
    LONGHAND_API_KEY: key,
  });
  for (const link of await links(port, '192.168.7.7'))
    assert.ok(link.startsWith('https://text.example/longhand/'), link);
});
