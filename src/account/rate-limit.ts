import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';

const windowMs = 60_000;
/** Accounts that are remembered at once; the longest silent one is forgotten first. */
const accountsMax = 10_000;

export type RequestKind = 'request' | 'create';

export interface RateLimits {
  requestsPerMinute: number;
  createsPerMinute: number;
}

interface Window {
  startedAtMs: number;
  counts: Record<RequestKind, number>;
}

/**
 * Requests per account in windows of one minute, counted by this process alone: a limit against runaway clients,
 * cheap enough to stand before everything else.
 */
export class RateLimiter {
  readonly #quota: Record<RequestKind, number>;
  readonly #clock: Clock;
  readonly #windows = new Map<string, Window>();

  constructor({ requestsPerMinute, createsPerMinute }: RateLimits, clock: Clock) {
    this.#quota = { request: requestsPerMinute, create: createsPerMinute };
    this.#clock = clock;
  }

  /** Counts one request and gives the headers that tell the caller where it stands; throws when there were too many. */
  admit(accountId: string, kind: RequestKind): Record<string, string> {
    const window = this.#window(accountId);
    const kinds: RequestKind[] = kind === 'create' ? ['create', 'request'] : ['request'];
    const secondsLeft = Math.max(1, Math.ceil((window.startedAtMs + windowMs - this.#clock.now()) / 1000));
    const exceeded = kinds.find((one) => window.counts[one] >= this.#quota[one]);
    if (exceeded) {
      const headers = this.#headers(exceeded, window, secondsLeft);
      throw new ApiError('rate_limited', { headers: { ...headers, 'retry-after': String(secondsLeft) } });
    }
    for (const one of kinds) window.counts[one] += 1;
    return this.#headers(kind, window, secondsLeft);
  }

  #window(accountId: string): Window {
    const now = this.#clock.now();
    const known = this.#windows.get(accountId);
    const current = known && now - known.startedAtMs < windowMs;
    const window = current ? known : { startedAtMs: now, counts: { request: 0, create: 0 } };
    this.#windows.delete(accountId);
    this.#windows.set(accountId, window);
    if (this.#windows.size > accountsMax) {
      const [oldest] = this.#windows.keys();
      if (oldest !== undefined) this.#windows.delete(oldest);
    }
    return window;
  }

  #headers(kind: RequestKind, window: Window, secondsLeft: number): Record<string, string> {
    const left = Math.max(0, this.#quota[kind] - window.counts[kind]);
    return {
      'ratelimit-policy': `"${kind}";q=${this.#quota[kind]};w=${windowMs / 1000}`,
      ratelimit: `"${kind}";r=${left};t=${secondsLeft}`,
    };
  }
}
