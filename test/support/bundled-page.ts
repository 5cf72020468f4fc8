/** A developer's web page with the client in it, bundled as they would, and the server that holds their API key. */
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Longhand } from 'longhand-client';
import { build } from 'vite';
import { type Hooks, onCleanup } from './cleanup.ts';
import { packedClient } from './packed-client.ts';

const program = `
import { Longhand } from 'longhand-client';
import { srt } from 'longhand-client/subtitles';
globalThis.longhand = new Longhand({ apiKey: 'known-to-the-server-only', baseUrl: location.origin });
globalThis.srt = srt;
`;
const html =
  '<!doctype html><meta charset="utf-8"><title>page</title><link rel="icon" href="data:,"><input type="file"><script type="module" src="/page.js"></script>';

/** What the page has put there for whoever looks into it. */
export interface PageGlobals {
  longhand: Longhand;
  srt(segments: readonly { start: number; end: number; text: string }[]): string;
}

/** The folder with the finished page. */
export async function bundledPage(hooks: Hooks): Promise<string> {
  const { directory } = await packedClient(hooks);
  await writeFile(join(directory, 'page.js'), program);
  await writeFile(join(directory, 'index.html'), html);
  await build({ root: directory, configFile: false, logLevel: 'error', build: { target: 'es2022' } });
  return join(directory, 'dist');
}

/** Serves the page, and passes what goes to /api on to the service, with the key. Transfers go to the storage itself. */
export async function developerServer(
  hooks: Hooks,
  { page, service, key }: { page: string; service: string; key: string },
): Promise<string> {
  const { hostname, port, host } = new URL(service);
  const server = createServer(async (incoming, response) => {
    incoming.on('error', () => {});
    response.on('error', () => {});
    const path = incoming.url ?? '/';
    if (!path.startsWith('/api/')) {
      const name = path === '/' ? 'index.html' : path.slice(1);
      const type = name.endsWith('.js') ? 'text/javascript' : 'text/html';
      const content = await readFile(join(page, name)).catch(() => undefined);
      response.writeHead(content ? 200 : 404, { 'content-type': type }).end(content);
      return;
    }
    const headers = { ...incoming.headers, host, authorization: `Bearer ${key}` };
    const outgoing = request({ hostname, port, method: incoming.method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(hooks, async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
