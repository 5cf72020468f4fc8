import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Clock } from '../platform/clock.ts';
import { EgressFailure } from './failure.ts';
import type { EgressGuard } from './guard.ts';

export interface Target {
  url: URL;
  host: string;
  port: number;
}

/** Opens the socket through the guard, then TLS on it with the name that was asked for. */
export function connector(
  guard: EgressGuard,
  { trustedCertificates, clock }: { trustedCertificates?: string; clock: Clock },
  { url, host, port }: Target,
  connectMs: number,
  signal: AbortSignal | undefined,
): buildConnector.connector {
  const open = async () => {
    const socket = await guard.connect(host, port, { connectMs, ...(signal ? { signal } : {}) });
    if (url.protocol === 'http:') return socket;
    const timeout = clock.timeout(connectMs);
    const both = signal ? AbortSignal.any([signal, timeout]) : timeout;
    return await shakeHands(socket, host, trustedCertificates, both);
  };
  return (_options, callback) => {
    open().then(
      (socket) => callback(null, socket),
      (error) => callback(error as Error, null),
    );
  };
}

function shakeHands(
  socket: Socket,
  host: string,
  ca: string | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const secure = connectTls({
      socket,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ['http/1.1'],
      ...(ca === undefined ? {} : { ca }),
    });
    const abort = () => secure.destroy(new EgressFailure('timeout', 'no TLS handshake in time'));
    signal.addEventListener('abort', abort, { once: true });
    secure.once('error', (error: NodeJS.ErrnoException) => {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      reject(
        error instanceof EgressFailure
          ? error
          : new EgressFailure('tls', error.code ?? 'failed', { cause: error }),
      );
    });
    secure.once('secureConnect', () => {
      signal.removeEventListener('abort', abort);
      secure.removeAllListeners('error');
      resolve(secure);
    });
  });
}
