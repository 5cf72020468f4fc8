/** A way to a server on loopback that a test can cut, as a network or a server that is gone does. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type Hooks, onCleanup } from './cleanup.ts';

export interface TcpProxy {
  /** `127.0.0.1:port` */
  readonly target: string;
  /** Connections break, and new ones are closed at once. */
  cut(): void;
  restore(): void;
}

export async function openTcpProxy(
  hooks: Hooks,
  /** Or the path of a Unix socket. */
  beyondAt: { host: string; port: number } | { path: string },
): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    socket.on('error', () => {});
    if (isCut) {
      socket.destroy();
      return;
    }
    const beyond = connect(beyondAt);
    beyond.on('error', () => socket.destroy());
    for (const one of [socket, beyond]) {
      sockets.add(one);
      one.on('close', () => {
        sockets.delete(one);
        socket.destroy();
        beyond.destroy();
      });
    }
    socket.pipe(beyond).pipe(socket);
  });
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onCleanup(hooks, async () => {
    destroyAll();
    server.close();
    await once(server, 'close');
  });
  return {
    target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut() {
      isCut = true;
      destroyAll();
    },
    restore() {
      isCut = false;
    },
  };
}
