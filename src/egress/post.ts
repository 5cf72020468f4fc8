/**
 * Small posts to many receivers, over and over: the same guard and the same limits as any request, without the cost
 * of a body stream, a timer and three signals for each. Of an answer's body only the beginning is kept.
 */
import type { Dispatcher, Pool } from 'undici';
import type { Clock } from '../platform/clock.ts';
import type { Target } from './connector.ts';
import { EgressFailure } from './failure.ts';
import { failureFrom } from './fault.ts';
import { judgeUrl, type UrlRules } from './url.ts';

export interface PostLimits {
  /** To resolve, connect and shake hands. */
  connectMs: number;
  /** From the call to the last byte of the answer. Up to 50 ms less, because posts of one moment share a timer. */
  totalMs: number;
  /** Read of the answer's body; then the connection is closed. */
  bytesMax: number;
  headerBytesMax: number;
  /** Kept of the answer's body. */
  keptBytesMax: number;
}

export interface EgressPost {
  url: string;
  /** Names in small letters. */
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  signal: AbortSignal;
}

export interface PostAnswer {
  status: number;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The beginning of the body, as far as it came. */
  body: Buffer;
}

export interface PosterOptions {
  limits: PostLimits;
  rules: UrlRules;
  clock: Clock;
  /** Connections to the origin of a target, each judged when it is opened. */
  poolOf(target: Target): Pool;
}

const momentMs = 50;
const targetsMax = 1_000;

export type Post = (post: EgressPost) => Promise<PostAnswer>;

export function createPoster({ limits, rules, clock, poolOf }: PosterOptions): Post {
  const deadlines = new Deadlines(clock, limits.totalMs);
  const targets = new Map<string, Target>();
  // What a URL's text says never changes; where its name leads is asked for at each connection.
  const targetOf = (url: string): Target => {
    const known = targets.get(url);
    if (known) return known;
    const verdict = judgeUrl(url, rules);
    if (!verdict.ok) throw new EgressFailure('blocked', verdict.reason);
    if (targets.size >= targetsMax) targets.clear();
    targets.set(url, verdict);
    return verdict;
  };
  return async ({ url, headers, body, signal }) => {
    signal.throwIfAborted();
    const target = targetOf(url);
    const exchange = new Exchange(limits);
    const endDeadline = deadlines.begin(() =>
      exchange.stop(new EgressFailure('timeout', 'the answer took too long in all')),
    );
    const stop = () => exchange.stop(signal.reason as Error);
    signal.addEventListener('abort', stop, { once: true });
    try {
      const path = `${target.url.pathname}${target.url.search}`;
      poolOf(target).dispatch({ path, method: 'POST', headers, body }, exchange);
      return await exchange.answer;
    } catch (error) {
      throw signal.aborted ? signal.reason : failureFrom(error);
    } finally {
      endDeadline();
      signal.removeEventListener('abort', stop);
    }
  };
}

/** One request and what comes back for it. With the status known it is answered, however the rest of it ends. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<PostAnswer>;
  readonly #settle: PromiseWithResolvers<PostAnswer>;
  readonly #limits: PostLimits;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  #head: Omit<PostAnswer, 'body'> | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #stopped: Error | undefined;

  constructor(limits: PostLimits) {
    this.#limits = limits;
    this.#settle = Promise.withResolvers();
    this.answer = this.#settle.promise;
  }

  /** Also before the request has a connection: then it is not sent. */
  stop(reason: Error): void {
    this.#stopped = reason;
    this.#controller?.abort(reason);
    this.#end(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#stopped) controller.abort(this.#stopped);
  }

  onResponseStart(_controller: unknown, status: number, headers: PostAnswer['headers']): void {
    if (status >= 200) this.#head = { status, headers };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.#limits.keptBytesMax - this.#bytes;
    // A copy: the chunk is a piece of a buffer that the connection goes on using.
    if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)));
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.bytesMax)
      controller.abort(new EgressFailure('too_large', 'read no further'));
  }

  onResponseEnd(): void {
    this.#end(new EgressFailure('bad_answer', 'without a status'));
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#end(error);
  }

  #end(error: Error): void {
    if (this.#head) this.#settle.resolve({ ...this.#head, body: Buffer.concat(this.#kept) });
    else this.#settle.reject(error);
  }
}

interface Moment {
  startedMs: number;
  expiring: Set<() => void>;
}

/** Time-outs of the same length; those that begin within one moment share a timer. */
class Deadlines {
  readonly #clock: Clock;
  readonly #afterMs: number;
  #moment: Moment | undefined;

  constructor(clock: Clock, afterMs: number) {
    this.#clock = clock;
    this.#afterMs = afterMs;
  }

  /** Calls `expire` in time, unless the returned function is called first. */
  begin(expire: () => void): () => void {
    const nowMs = this.#clock.now();
    const sinceMs = nowMs - (this.#moment?.startedMs ?? Number.NEGATIVE_INFINITY);
    if (!this.#moment || sinceMs < 0 || sinceMs >= momentMs) this.#moment = this.#open(nowMs);
    const { expiring } = this.#moment;
    expiring.add(expire);
    return () => expiring.delete(expire);
  }

  #open(startedMs: number): Moment {
    const expiring = new Set<() => void>();
    const over = this.#clock.timeout(this.#afterMs);
    over.addEventListener('abort', () => {
      for (const expire of expiring) expire();
    });
    return { startedMs, expiring };
  }
}
