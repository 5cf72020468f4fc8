/**
 * The guard for programs we start: an HTTP proxy that lives for one job, asks for that job's secret, judges every
 * target like our own requests, counts bytes and remembers what it refused. Only the sandbox of that job reaches it;
 * where there is no sandbox, it stands on a port of loopback.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, ListenOptions, Socket } from 'node:net';
import { join } from 'node:path';
import { type Duplex, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { sandboxProxyPort } from '../platform/process/sandbox.ts';
import type { Egress } from './egress.ts';
import { EgressFailure } from './failure.ts';
import { judgeUrl } from './url.ts';

export interface EgressProxyOptions {
  egress: Egress;
  /** From outside to the program, over all connections. */
  bytesMax: number;
  /** A private folder for its Unix socket, which a sandbox shows inside; without it, a port of loopback. */
  socketFolder?: string;
}

export interface Denial {
  host: string;
  port: number;
  reason: string;
}

export interface EgressProxy extends AsyncDisposable {
  /** With the secret in it: give it to the program by standard input, never as an argument others can read. */
  readonly url: string;
  /** Where it listens, if not on a port. */
  readonly socket: string | undefined;
  readonly denials: readonly Denial[];
  /** The byte limit was reached; every connection was cut. */
  readonly exceeded: boolean;
  readonly bytes: number;
}

const connectMs = 10_000;
const idleMs = 30_000;
const requestMsMax = 3_600_000;
const connectionsMax = 64;
const denialsKept = 100;
const headerBytesMax = 65_536;
const requestBodyBytesMax = 1_048_576;
const socketName = 'proxy.sock';
/** What fits into the address of a Unix socket, with its closing zero, on macOS and Linux. */
const socketPathBytesMax = 103;

export async function startEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const secret = randomBytes(24).toString('base64url');
  const job = new ProxyJob(options, `Basic ${Buffer.from(`job:${secret}`).toString('base64')}`);
  const server = createServer({ maxHeaderSize: headerBytesMax, requestTimeout: idleMs });
  server.maxConnections = connectionsMax;
  server.on('connection', (socket) => job.keep(socket));
  server.on('request', (request, response) => void job.forward(request, response));
  server.on('connect', (request, socket, head) => void job.tunnel(request, socket, head));
  server.on('upgrade', (_request, socket) => socket.destroy());
  server.on('clientError', (_error, socket) => refuseTunnel(socket, '400 Bad Request'));
  const { socket, port, close } = await listen(server, options.socketFolder);
  return {
    url: `http://job:${secret}@127.0.0.1:${port}`,
    socket,
    denials: job.denials,
    get exceeded() {
      return job.exceeded;
    },
    get bytes() {
      return job.bytes;
    },
    async [Symbol.asyncDispose]() {
      job.end();
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
      await close();
    },
  };
}

class ProxyJob {
  readonly denials: Denial[] = [];
  bytes = 0;
  exceeded = false;
  readonly #egress: Egress;
  readonly #bytesMax: number;
  readonly #credentials: Buffer;
  readonly #sockets = new Set<Duplex>();
  readonly #ended = new AbortController();

  constructor({ egress, bytesMax }: EgressProxyOptions, credentials: string) {
    this.#egress = egress;
    this.#bytesMax = bytesMax;
    this.#credentials = Buffer.from(credentials);
  }

  keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  end(): void {
    this.#ended.abort(new Error('the job is over'));
    for (const socket of this.#sockets) socket.destroy();
  }

  /** `CONNECT host:port`: bytes pass unread to the checked address and back. */
  async tunnel(request: IncomingMessage, client: Duplex, head: Buffer): Promise<void> {
    client.on('error', () => client.destroy());
    if (!this.#admits(request)) return refuseTunnel(client, '407 Proxy Authentication Required');
    const [, bracketed, name, digits] =
      /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+)):(\d{1,5})$/i.exec(request.url ?? '') ?? [];
    const host = bracketed ?? name ?? '';
    const port = Number(digits);
    if (host === '' || port > 65_535) return refuseTunnel(client, '400 Bad Request');
    let upstream: Socket;
    try {
      const { signal } = this.#ended;
      upstream = await this.#egress.guard.connect(host, port, { connectMs, signal });
    } catch (error) {
      this.#note(error, host, port);
      return refuseTunnel(client, statusFor(error));
    }
    try {
      this.keep(upstream);
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.write(head);
      await Promise.all([pipeline(client, upstream), pipeline(upstream, this.#counter(), client)]);
    } catch {
      upstream.destroy(); // Either side left, or the byte limit was reached; the program sees a broken connection.
      client.destroy();
    }
  }

  /** `GET http://host/path`: asked again by ourselves, so nothing can be smuggled behind it. */
  async forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => response.destroy());
    if (!this.#admits(request)) {
      response.writeHead(407, { 'proxy-authenticate': 'Basic' }).end();
      return;
    }
    const method = request.method ?? '';
    if (!/^http:\/\//i.test(request.url ?? '') || !['GET', 'HEAD', 'POST'].includes(method)) {
      response.writeHead(400).end();
      return;
    }
    const url = URL.parse(request.url ?? '');
    try {
      const answer = await this.#ask(request, method as 'GET');
      const encoded = answer.headers['content-encoding'] !== undefined;
      const headers = endToEnd(answer.headers, encoded ? ['content-length'] : []);
      // A program may read options of its own from a fragment; no server is meant to choose them.
      if (headers.location !== undefined) headers.location = headers.location.replace(/#.*/s, '');
      response.writeHead(answer.status, headers);
      await pipeline(answer.body, this.#counter(), response);
    } catch (error) {
      this.#note(error, url?.hostname ?? '', Number(url?.port || 80));
      if (response.headersSent) response.destroy();
      else response.writeHead(Number(statusFor(error).slice(0, 3))).end();
    }
  }

  async #ask(request: IncomingMessage, method: 'GET' | 'HEAD' | 'POST') {
    const headers = endToEnd(request.headers, ['accept-encoding', 'content-length', 'host']);
    const url = request.url ?? '';
    const verdict = judgeUrl(url, { allow: this.#egress.allow });
    if (!verdict.ok) throw new EgressFailure('blocked', verdict.reason);
    const body = method === 'POST' ? await bodyOf(request) : undefined;
    return await this.#egress.request({
      url,
      method,
      headers,
      ...(body ? { body } : {}),
      signal: this.#ended.signal,
      limits: {
        connectMs,
        idleMs,
        totalMs: requestMsMax,
        bytesMax: Number.MAX_SAFE_INTEGER, // The counter below holds the limit of the whole job.
        headerBytesMax,
        redirectsMax: 0,
      },
    });
  }

  #admits(request: IncomingMessage): boolean {
    const given = Buffer.from(request.headers['proxy-authorization'] ?? '');
    return given.length === this.#credentials.length && timingSafeEqual(given, this.#credentials);
  }

  #note(error: unknown, host: string, port: number): void {
    if (!(error instanceof EgressFailure) || error.kind !== 'blocked') return;
    if (this.denials.length < denialsKept) this.denials.push({ host, port, reason: error.reason });
  }

  #counter(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.bytes += chunk.length;
        if (this.bytes <= this.#bytesMax) return done(null, chunk);
        this.exceeded = true;
        this.end();
        done(new EgressFailure('too_large', `more than ${this.#bytesMax} bytes`));
      },
    });
  }
}

/** Headers that speak of one connection only; the proxy's own credentials must go no further. */
const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade', 'expect', 'content-encoding'],
]);

function endToEnd(
  headers: NodeJS.Dict<string | string[]>,
  alsoDrop: readonly string[],
): Record<string, string> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  const kept = Object.entries(headers).filter(
    ([name, value]) =>
      value !== undefined && !hopByHop.has(name) && !alsoDrop.includes(name) && !named.includes(name),
  );
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > requestBodyBytesMax) throw new EgressFailure('too_large', 'the request body');
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function statusFor(error: unknown): string {
  if (!(error instanceof EgressFailure)) return '502 Bad Gateway';
  if (error.kind === 'blocked') return '403 Forbidden';
  return error.kind === 'timeout' ? '504 Gateway Timeout' : '502 Bad Gateway';
}

function refuseTunnel(client: Duplex, status: string): void {
  if (client.writable) client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  else client.destroy();
}

interface Listening {
  socket: string | undefined;
  /** As the program sees it. */
  port: number;
  close(): Promise<void>;
}

async function listen(server: Server, socketFolder: string | undefined): Promise<Listening> {
  if (socketFolder === undefined) {
    await listening(server, { port: 0, host: '127.0.0.1' });
    return { socket: undefined, port: (server.address() as AddressInfo).port, close: async () => {} };
  }
  const isShort = Buffer.byteLength(join(socketFolder, socketName)) <= socketPathBytesMax;
  // Not os.tmpdir(), whose path may be long too.
  const folder = isShort ? socketFolder : await mkdtemp('/tmp/longhand-proxy-');
  const socket = join(folder, socketName);
  await listening(server, { path: socket });
  const close = async () => {
    await rm(isShort ? socket : folder, { recursive: true, force: true });
  };
  return { socket, port: sandboxProxyPort, close };
}

function listening(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where, () => resolve());
  });
}
