/**
 * The only way to the network for webhooks, media and remote engines: a bounded HTTP request through the guard.
 * Every hop of a redirect is judged again; nothing of the environment (proxy variables) changes the way.
 */
import type { Readable } from 'node:stream';
import { Client, type Dispatcher, Pool } from 'undici';
import type { Clock } from '../platform/clock.ts';
import { boundedBody } from './body.ts';
import { ConnectionCache, keptOptions } from './connection-cache.ts';
import { connector, type Target } from './connector.ts';
import { EgressFailure } from './failure.ts';
import { failureFrom } from './fault.ts';
import { createEgressGuard, type Dial, type EgressGuard, type Resolve } from './guard.ts';
import { createPoster, type Post, type PostLimits } from './post.ts';
import { type EgressAllow, judgeUrl, type UrlRules } from './url.ts';

export interface EgressLimits {
  /** To resolve, connect and shake hands, at each hop. */
  connectMs: number;
  /** From the call to the last byte of the body. */
  totalMs: number;
  /** Without a byte while an answer is awaited. */
  idleMs: number;
  /** Of the body, as sent and as decompressed. */
  bytesMax: number;
  headerBytesMax: number;
  /** 0: an answer that redirects is given back as it is. */
  redirectsMax: number;
}

export interface EgressRequest {
  url: string;
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  headers?: Readonly<Record<string, string>>;
  body?: string | Uint8Array | Readable;
  limits: EgressLimits;
  signal?: AbortSignal;
  /** Plain HTTP only to the allow list. */
  httpsOnly?: boolean;
  /** Other ports only to the allow list. */
  port443Only?: boolean;
  /** May travel on a connection that an earlier request to the same origin left open; it was judged when opened. */
  keepAlive?: boolean;
}

export interface EgressResponse {
  status: number;
  /** Names in small letters; repeated ones joined by a comma. */
  headers: Readonly<Record<string, string>>;
  /** Where the last hop led. */
  url: URL;
  /** Ends, fails or is cut within the limits. Leaving the loop closes the connection. */
  body: AsyncIterable<Buffer>;
  /** The whole body; within `bytesMax` like the stream. */
  bytes(): Promise<Buffer>;
  text(): Promise<string>;
  /** Closes the connection without reading on. */
  close(): void;
}

export interface Egress {
  readonly allow: EgressAllow;
  readonly guard: EgressGuard;
  request(request: EgressRequest): Promise<EgressResponse>;
  /** For many small posts under the same limits. */
  poster(limits: PostLimits, rules: Omit<UrlRules, 'allow'>): Post;
  /** What a name leads to at the moment: every address public (or allowed on this port), a closed one, or nothing. */
  resolvesToPublic(host: string, port?: number): Promise<'public' | 'closed' | 'unresolved'>;
  /** Closes the connections that were kept open. */
  close(): Promise<void>;
}

export interface EgressOptions {
  allow: EgressAllow;
  clock: Clock;
  resolve?: Resolve;
  dial?: Dial;
  /** Certificates to trust instead of the system's, PEM. For tests. */
  trustedCertificates?: string;
}

const resolveTimeoutMs = 5_000;
const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Safe to send to whomever a redirect leads; all others (keys, cookies) stay with the first origin. */
const harmlessHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'range',
  'user-agent',
  'if-range',
]);

export function createEgress(options: EgressOptions): Egress {
  const guard = createEgressGuard(options);
  const connections: Connections = { guard, options, kept: new ConnectionCache() };
  const allKept = [connections.kept];
  return {
    allow: options.allow,
    guard,
    request: (request) => follow(connections, request),
    poster: (limits, rules) => {
      const kept = new ConnectionCache();
      allKept.push(kept);
      const poolOf = (target: Target) =>
        keptClient({ ...connections, kept }, { ...limits, idleMs: limits.totalMs }, target);
      return createPoster({
        limits,
        rules: { ...rules, allow: options.allow },
        clock: options.clock,
        poolOf,
      });
    },
    async resolvesToPublic(host, port = 443) {
      try {
        await guard.check(host, port, options.clock.timeout(resolveTimeoutMs));
        return 'public';
      } catch (error) {
        return error instanceof EgressFailure && error.kind === 'blocked' ? 'closed' : 'unresolved';
      }
    },
    async close() {
      await Promise.all(allKept.map((kept) => kept.close()));
    },
  };
}

interface Connections {
  guard: EgressGuard;
  options: EgressOptions;
  kept: ConnectionCache;
}

async function follow(connections: Connections, request: EgressRequest): Promise<EgressResponse> {
  const { guard, options } = connections;
  const { limits } = request;
  const total = options.clock.timeout(limits.totalMs);
  const signal = request.signal ? AbortSignal.any([request.signal, total]) : total;
  let url = request.url;
  let headers = request.headers ?? {};
  for (let hop = 0; ; hop += 1) {
    const verdict = judgeUrl(url, { ...request, allow: guard.allow });
    if (!verdict.ok) throw new EgressFailure('blocked', verdict.reason);
    const response = await oneHop(connections, { ...request, headers }, verdict, signal).catch((error) => {
      throw explained(error, request.signal, total);
    });
    const location = response.headers.location;
    if (limits.redirectsMax === 0 || !redirectStatuses.has(response.status) || location === undefined) {
      return response;
    }
    response.close();
    if (hop >= limits.redirectsMax) throw new EgressFailure('too_many_redirects', `after ${hop + 1} hops`);
    const next = URL.parse(location, verdict.url.href);
    if (!next) throw new EgressFailure('bad_answer', 'a redirect without a usable address');
    if (next.origin !== verdict.url.origin) headers = onlyHarmless(headers);
    url = next.href;
  }
}

async function oneHop(
  connections: Connections,
  request: EgressRequest,
  target: Target,
  signal: AbortSignal,
): Promise<EgressResponse> {
  const { client, close } = request.keepAlive
    ? { client: keptClient(connections, request.limits, target), close: () => {} }
    : onceClient(connections, request.limits, target, signal);
  try {
    const answer = await client.request({
      path: `${target.url.pathname}${target.url.search}`,
      method: request.method ?? 'GET',
      headers: { 'accept-encoding': 'identity', ...lowerCased(request.headers ?? {}), host: target.url.host },
      body: request.body ?? null,
      signal,
    });
    return responseFrom(answer, request, target.url, close, signal);
  } catch (error) {
    close();
    throw error;
  }
}

/** A connection for one request, which ends with it. */
function onceClient(
  { guard, options }: Connections,
  limits: EgressLimits,
  target: Target,
  signal: AbortSignal,
): { client: Client; close: () => void } {
  const connect = connector(guard, options, target, limits.connectMs, signal);
  const client = new Client(target.url.origin, { ...clientOptions(limits), connect });
  return { client, close: () => void client.destroy().catch(() => {}) };
}

/** Connections to an origin, each opened through the guard and left open for a moment after its answer was read. */
function keptClient({ guard, options, kept }: Connections, limits: ConnectionLimits, target: Target): Pool {
  return kept.of(target.url.origin, () => {
    const connect = connector(guard, options, target, limits.connectMs, undefined);
    return new Pool(target.url.origin, { ...clientOptions(limits), ...keptOptions, connect });
  });
}

type ConnectionLimits = Pick<EgressLimits, 'connectMs' | 'idleMs' | 'headerBytesMax'>;

function clientOptions(limits: ConnectionLimits) {
  return {
    headersTimeout: limits.idleMs,
    bodyTimeout: limits.idleMs,
    maxHeaderSize: limits.headerBytesMax,
    pipelining: 1,
    strictContentLength: false,
  };
}

function responseFrom(
  answer: Dispatcher.ResponseData,
  request: EgressRequest,
  url: URL,
  close: () => void,
  signal: AbortSignal,
): EgressResponse {
  const headers = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]),
  );
  const body = boundedBody({
    source: answer.body,
    headers,
    bytesMax: request.limits.bytesMax,
    close,
    explain: (error) => explained(error, request.signal, signal),
  });
  const bytes = async () => Buffer.concat(await Array.fromAsync(body));
  return {
    status: answer.statusCode,
    headers,
    url,
    body,
    bytes,
    text: async () => (await bytes()).toString('utf8'),
    close() {
      answer.body.on('error', () => {}).destroy();
      close();
    },
  };
}

/** The caller's own abort stays what it is. */
function explained(error: unknown, caller: AbortSignal | undefined, total: AbortSignal): unknown {
  if (error instanceof EgressFailure) return error;
  if (caller?.aborted) return caller.reason;
  if (total.aborted) return new EgressFailure('timeout', 'the answer took too long in all', { cause: error });
  return failureFrom(error);
}

function onlyHarmless(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => harmlessHeaders.has(name.toLowerCase())),
  );
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
