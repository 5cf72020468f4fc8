import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';

const windowSeconds = 60;
/** Accounts that are remembered at once; the longest silent one is forgotten first. */
const accountsMax = 10_000;
/**
 * A process takes this part of what is left at a time, so that it asks the database for one request in twenty or so; near
 * the limit it takes one at a time, so that all processes together give out the whole quota.
 */
const shareOfLeft = 1 / 16;

export type RequestKind = 'request' | 'create';
export type RequestCounts = Record<RequestKind, number>;

export interface RateLimits {
  requestsPerMinute: number;
  createsPerMinute: number;
}

export interface TakenRequests {
  /** By all processes in the current minute, what was just taken included. */
  counted: RequestCounts;
  endsInMs: number;
}

export interface RateLimiterDeps {
  clock: Clock;
  take(accountId: string, wanted: RequestCounts): Promise<TakenRequests>;
}

/** What this process knows of an account's minute. */
interface Window {
  endsAtMs: number;
  /** Taken by this process and not used yet. */
  ours: RequestCounts;
  /** Taken by nobody when this process last asked. */
  left: RequestCounts;
  asking: Promise<void> | undefined;
}

/** Requests per account in windows of one minute, of all processes together: a limit against runaway clients. */
export class RateLimiter {
  readonly #quota: RequestCounts;
  readonly #deps: RateLimiterDeps;
  readonly #windows = new Map<string, Window>();

  constructor({ requestsPerMinute, createsPerMinute }: RateLimits, deps: RateLimiterDeps) {
    this.#quota = { request: requestsPerMinute, create: createsPerMinute };
    this.#deps = deps;
  }

  /** Counts one request and gives the headers that tell the caller where it stands; throws when there were too many. */
  async admit(accountId: string, kind: RequestKind): Promise<Record<string, string>> {
    const kinds: RequestKind[] = kind === 'create' ? ['create', 'request'] : ['request'];
    for (;;) {
      const window = this.#window(accountId);
      // Refused from memory until the minute is over: a runaway client costs the database nothing.
      const exceeded = kinds.find((one) => window.ours[one] + window.left[one] <= 0);
      if (exceeded) throw this.#refusal(exceeded, window);
      if (kinds.every((one) => window.ours[one] > 0)) {
        for (const one of kinds) window.ours[one] -= 1;
        return this.#headers(kind, window);
      }
      window.asking ??= this.#ask(accountId, window, kinds).finally(() => {
        window.asking = undefined;
      });
      await window.asking;
    }
  }

  #window(accountId: string): Window {
    const known = this.#windows.get(accountId);
    const window = known ?? { endsAtMs: 0, ours: none(), left: { ...this.#quota }, asking: undefined };
    if (!window.asking && window.endsAtMs <= this.#deps.clock.now()) {
      window.ours = none();
      window.left = { ...this.#quota };
    }
    this.#windows.delete(accountId);
    this.#windows.set(accountId, window);
    if (this.#windows.size > accountsMax) {
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    return window;
  }

  async #ask(accountId: string, window: Window, kinds: readonly RequestKind[]): Promise<void> {
    const wanted = none();
    for (const one of kinds) {
      if (window.ours[one] === 0) wanted[one] = Math.max(1, Math.floor(window.left[one] * shareOfLeft));
    }
    const { counted, endsInMs } = await this.#deps.take(accountId, wanted);
    const { clock } = this.#deps;
    const isNext = window.endsAtMs <= clock.now();
    window.endsAtMs = clock.now() + endsInMs;
    for (const one of ['request', 'create'] as const) {
      const before = counted[one] - wanted[one];
      const granted = Math.max(0, Math.min(wanted[one], this.#quota[one] - before));
      window.ours[one] = (isNext ? 0 : window.ours[one]) + granted;
      window.left[one] = Math.max(0, this.#quota[one] - counted[one]);
    }
  }

  #secondsLeft({ endsAtMs }: Window): number {
    return Math.max(1, Math.ceil((endsAtMs - this.#deps.clock.now()) / 1000));
  }

  #refusal(kind: RequestKind, window: Window): ApiError {
    const headers = { ...this.#headers(kind, window), 'retry-after': String(this.#secondsLeft(window)) };
    return new ApiError('rate_limited', { headers });
  }

  #headers(kind: RequestKind, window: Window): Record<string, string> {
    const left = window.ours[kind] + window.left[kind];
    return {
      'ratelimit-policy': `"${kind}";q=${this.#quota[kind]};w=${windowSeconds}`,
      ratelimit: `"${kind}";r=${left};t=${this.#secondsLeft(window)}`,
    };
  }
}

function none(): RequestCounts {
  return { request: 0, create: 0 };
}
