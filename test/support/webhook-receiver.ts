/** A receiver as a customer would run it: real sockets on loopback, the raw body kept, answers as a test wants them. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { testCertificate, testCertificateKey } from '../fixtures/tls-certificate.ts';
import { type Hooks, onCleanup } from './cleanup.ts';

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders;
  body: Buffer;
  path: string;
}

export type Answer = (
  response: ServerResponse,
  received: ReceivedWebhook,
  request: IncomingMessage,
) => void | Promise<void>;

export interface WebhookReceiver {
  /** `127.0.0.1:port`, as the allow list wants it. */
  readonly target: string;
  readonly url: string;
  readonly received: ReceivedWebhook[];
  /** Connections that were ever opened. */
  readonly connections: number;
  answer: Answer;
}

export const acknowledge: Answer = (response) => {
  response.writeHead(204).end();
};

export function answerWith(status: number, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, headers).end();
  };
}

export async function openReceiver(
  hooks: Hooks,
  options: { answer?: Answer; tls?: boolean } = {},
): Promise<WebhookReceiver> {
  const sockets = new Set<Socket>();
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    void take(receiver, request, response);
  };
  const server = options.tls
    ? createTlsServer({ cert: testCertificate, key: testCertificateKey }, listener)
    : createServer(listener);
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver = {
    target: `127.0.0.1:${port}`,
    url: `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}/hooks?token=t0p`,
    received: [] as ReceivedWebhook[],
    get connections() {
      return connections;
    },
    answer: options.answer ?? acknowledge,
  };
  onCleanup(hooks, async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return receiver;
}

async function take(
  receiver: WebhookReceiver,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.on('error', () => {});
  const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
  if (request.method !== 'POST') {
    response.writeHead(404).end();
    return;
  }
  const received = { headers: request.headers, body, path: request.url ?? '' };
  receiver.received.push(received);
  await receiver.answer(response, received, request);
}

/** Verifies with the reference library, as of the time the request was signed, and gives the payload. */
export function verified(received: ReceivedWebhook, secret: string): Record<string, unknown> {
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [
      name,
      String(received.headers[name]),
    ]),
  );
  const signedAtMs = Number(headers['webhook-timestamp']) * 1000;
  // The library compares with the machine's clock; a test with a clock of its own puts the machine there for a moment.
  const realNow = Date.now;
  Date.now = () => signedAtMs;
  try {
    return new Webhook(secret).verify(received.body.toString('utf8'), headers) as Record<string, unknown>;
  } finally {
    Date.now = realNow;
  }
}
