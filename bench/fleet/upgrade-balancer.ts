/** A balancer as one stands before API processes: who is taken out gets no new request. */
import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Hooks } from '../../test/support/cleanup.ts';

export interface Balancer {
  url: string;
  add(url: string): void;
  remove(url: string): void;
}

export async function openBalancer(hooks: Hooks): Promise<Balancer> {
  const backends: string[] = [];
  let turn = 0;
  const server = createServer((request, response) => {
    turn += 1;
    const backend = backends[turn % backends.length];
    if (backend === undefined) response.writeHead(502).end('nobody is there');
    else
      void pass(backend, request, response).catch((error: Error) => {
        response.writeHead(502).end(error.message);
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  hooks.after(async () => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    add: (url) => void backends.push(url),
    remove: (url) => void backends.splice(backends.indexOf(url), 1),
  };
}

/** Each over a connection of its own. */
async function pass(backend: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await buffer(request);
  const { method = 'GET', url = '/', headers } = request;
  const passed = forward(new URL(url, backend), { method, headers, agent: false });
  passed.end(body);
  const [answer] = (await once(passed, 'response')) as [IncomingMessage];
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  response.end(await buffer(answer));
}
