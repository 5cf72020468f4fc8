/** A way to a service that tells what goes over it and can hold requests back, as a slow network does. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hooks, onCleanup } from './cleanup.ts';

export interface WatchedWay {
  url: string;
  /** `METHOD /path` of each request that was let through, without queries. */
  readonly passed: string[];
  /** Requests for which this is true are taken and never answered. */
  holds(request: Passing): boolean;
  /** Requests for which this is true reach the service, but nobody hears its answer. */
  mutes(request: Passing): boolean;
  /** Holds and mutes nothing, and has seen nothing. */
  reset(): void;
}

export interface Passing {
  method: string;
  path: string;
}

export async function watchedWay(hooks: Hooks, target: string): Promise<WatchedWay> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, response) => {
    const path = (incoming.url ?? '').split('?')[0] ?? '';
    const method = incoming.method ?? '';
    incoming.on('error', () => {});
    response.on('error', () => {});
    if (way.holds({ method, path })) return;
    const isMuted = way.mutes({ method, path });
    way.passed.push(`${method} ${path}`);
    const outgoing = request(
      { hostname, port, method, path: incoming.url, headers: incoming.headers },
      (answer: IncomingMessage) => {
        if (isMuted) {
          answer.resume();
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        response.flushHeaders();
        answer.pipe(response);
      },
    );
    outgoing.on('error', () => response.destroy());
    if (!isMuted) response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(hooks, async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const way: WatchedWay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: [],
    holds: () => false,
    mutes: () => false,
    reset() {
      way.passed.length = 0;
      way.holds = () => false;
      way.mutes = () => false;
    },
  };
  return way;
}
