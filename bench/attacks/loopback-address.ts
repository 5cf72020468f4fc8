import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Hooks, onCleanup } from '../../test/support/cleanup.ts';

/** Listens on a free port until the benchmark ends; gives host and port. */
export async function loopbackAddress(server: Server, hooks: Hooks): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(hooks, async () => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
