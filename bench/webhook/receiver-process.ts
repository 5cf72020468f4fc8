/**
 * Receivers of the webhook benchmark, in a process of their own: each listens on its own port and verifies every
 * request with the reference library. A receiver may be told to hang.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export type ReceiverOrder =
  | { kind: 'open'; receivers: number }
  | { kind: 'secrets'; secrets: string[]; hanging: number[] }
  | { kind: 'count' }
  | { kind: 'report' };

export interface ReceiverReport {
  kind: 'report';
  /** Requests that the library verified, repeats included. */
  verified: number;
  refused: number;
  /** Distinct pairs of receiver and event. */
  distinct: number;
  /** Repeats whose body differed from the first one. */
  changed: number;
  /** Milliseconds from the event's own time to its arrival, by receiver. */
  delaysMs: number[][];
}

interface Receiver {
  hangs: boolean;
  webhook: Webhook | undefined;
  bodies: Map<string, string>;
  delaysMs: number[];
}

const receivers: Receiver[] = [];
let verifiedCount = 0;
let refusedCount = 0;
let changedCount = 0;

process.on('message', (order: ReceiverOrder) => void obey(order));

async function obey(order: ReceiverOrder): Promise<void> {
  if (order.kind === 'open') {
    const ports: number[] = [];
    for (let index = 0; index < order.receivers; index += 1) ports.push(await open());
    process.send?.({ kind: 'opened', ports });
  } else if (order.kind === 'secrets') {
    forget();
    for (const [index, receiver] of receivers.entries()) {
      const secret = order.secrets[index];
      receiver.webhook = secret === undefined ? undefined : new Webhook(secret);
      receiver.hangs = order.hanging.includes(index);
    }
    process.send?.({ kind: 'ready' });
  } else if (order.kind === 'count') {
    process.send?.({ kind: 'count', distinct: distinctCount() });
  } else {
    process.send?.(report());
  }
}

async function open(): Promise<number> {
  const receiver: Receiver = { hangs: false, webhook: undefined, bodies: new Map(), delaysMs: [] };
  receivers.push(receiver);
  const server = createServer((request, response) => void take(receiver, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function take(receiver: Receiver, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const arrivedMs = Date.now();
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  if (receiver.hangs) return;
  const body = Buffer.concat(chunks).toString('utf8');
  try {
    const event = receiver.webhook?.verify(body, request.headers as Record<string, string>) as {
      id: string;
      created_at: string;
    };
    verifiedCount += 1;
    const before = receiver.bodies.get(event.id);
    if (before === undefined) {
      receiver.bodies.set(event.id, body);
      receiver.delaysMs.push(arrivedMs - Date.parse(event.created_at));
    } else if (before !== body) changedCount += 1;
    response.writeHead(204).end();
  } catch {
    refusedCount += 1;
    response.writeHead(401).end();
  }
}

function forget(): void {
  verifiedCount = 0;
  refusedCount = 0;
  changedCount = 0;
  for (const receiver of receivers) {
    receiver.bodies.clear();
    receiver.delaysMs = [];
  }
}

function report(): ReceiverReport {
  return {
    kind: 'report',
    verified: verifiedCount,
    refused: refusedCount,
    distinct: distinctCount(),
    changed: changedCount,
    delaysMs: receivers.map(({ delaysMs }) => delaysMs),
  };
}

function distinctCount(): number {
  return receivers.reduce((sum, { bodies }) => sum + bodies.size, 0);
}
