import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';

export interface EventStreamsDeps {
  clock: Clock;
  /** Of these credentials, the ids of those that still open their account. */
  active(credentials: readonly Principal['credential'][]): Promise<ReadonlySet<string>>;
}

/** Proxies cut connections on which nothing moves for a minute. */
const keepAliveEveryMs = 15_000;
/** A reader that takes nothing for so long is gone. */
const stalledMs = 30_000;
/** Then the reader comes again with the number of the last event, perhaps to another process. */
const lifetimeMs = 3_600_000;
const streamsMax = 5_000;
const streamsPerAccountMax = 1_000;

interface OpenStream {
  principal: Principal;
  response: ServerResponse;
  end: AbortController;
  openedMs: number;
}

/** Every open event stream of this process: kept alive, bounded, and ended with the key or session that opened it. */
export class EventStreams {
  readonly #deps: EventStreamsDeps;
  readonly #open = new Set<OpenStream>();
  readonly #stopTending: () => void;

  constructor(deps: EventStreamsDeps) {
    this.#deps = deps;
    this.#stopTending = deps.clock.every(keepAliveEveryMs, () => void this.#tend());
  }

  /** Throws when there are too many. */
  admit({ account }: Principal): void {
    const own = [...this.#open].filter(({ principal }) => principal.account.id === account.id);
    if (this.#open.size < streamsMax && own.length < streamsPerAccountMax) return;
    throw new ApiError('rate_limited', { headers: { 'retry-after': '5' } });
  }

  /** Writes the frames at the pace of the reader; resolves when either side ends. */
  async send(
    { principal, response }: Pick<OpenStream, 'principal' | 'response'>,
    frames: (signal: AbortSignal) => AsyncIterable<string>,
  ): Promise<void> {
    const stream = { principal, response, end: new AbortController(), openedMs: this.#deps.clock.now() };
    const end = () => stream.end.abort();
    this.#open.add(stream);
    response.on('close', end);
    response.on('error', end);
    try {
      for await (const frame of frames(stream.end.signal)) {
        if (stream.end.signal.aborted) break;
        if (!response.write(frame)) await this.#drained(stream);
      }
    } finally {
      this.#open.delete(stream);
      response.end();
    }
  }

  /** Ends them all; their readers come again. */
  close(): void {
    this.#stopTending();
    for (const { end } of this.#open) end.abort();
  }

  async #drained({ response, end }: OpenStream): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waited = new AbortController();
    response.once('drain', resolve);
    response.once('close', resolve);
    const late = this.#deps.clock.sleep(stalledMs, waited.signal).then(
      () => {
        end.abort();
        response.destroy();
      },
      () => {},
    );
    await Promise.race([promise, late]);
    waited.abort();
    response.off('drain', resolve);
    response.off('close', resolve);
  }

  async #tend(): Promise<void> {
    const streams = [...this.#open];
    const expiredMs = this.#deps.clock.now() - lifetimeMs;
    for (const { response, end, openedMs } of streams) {
      if (openedMs <= expiredMs) end.abort();
      else if (!response.writableNeedDrain) response.write(': still here\n\n');
    }
    const credentials = new Map(streams.map(({ principal: { credential } }) => [credential.id, credential]));
    if (credentials.size === 0) return;
    // Where the database does not answer the streams stay: they get nothing from it either.
    const active = await this.#deps.active([...credentials.values()]).catch(() => credentials);
    for (const { principal, end } of streams) if (!active.has(principal.credential.id)) end.abort();
  }
}

/** From here on the answer is ours, with every header that was set so far. */
export function beginEventStream(reply: FastifyReply): void {
  reply.hijack();
  reply.raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    // For proxies that would collect the answer before they pass it on.
    'x-accel-buffering': 'no',
  });
}
