import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';

export const periodSeconds = 60;
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
interface Period {
  endsAtMs: number;
  /** Taken by this process and not used yet. */
  ours: RequestCounts;
  /** Taken by nobody when this process last asked. */
  left: RequestCounts;
  asking: Promise<void> | undefined;
}

/** Requests per account in periods of one minute, of all processes together: a limit against runaway clients. */
export class RateLimiter {
  readonly #quota: RequestCounts;
  readonly #deps: RateLimiterDeps;
  readonly #periods = new Map<string, Period>();

  constructor({ requestsPerMinute, createsPerMinute }: RateLimits, deps: RateLimiterDeps) {
    this.#quota = { request: requestsPerMinute, create: createsPerMinute };
    this.#deps = deps;
  }

  /** Counts one request and gives the headers that tell the caller where it stands; throws when there were too many. */
  async admit(accountId: string, kind: RequestKind): Promise<Record<string, string>> {
    const kinds: RequestKind[] = kind === 'create' ? ['create', 'request'] : ['request'];
    for (;;) {
      const period = this.#period(accountId);
      // Refused from memory until the minute is over: a runaway client costs the database nothing.
      const exceeded = kinds.find((one) => period.ours[one] + period.left[one] <= 0);
      if (exceeded) throw this.#refusal(exceeded, period);
      if (kinds.every((one) => period.ours[one] > 0)) {
        for (const one of kinds) period.ours[one] -= 1;
        return this.#headers(kind, period);
      }
      period.asking ??= this.#ask(accountId, period, kinds).finally(() => {
        period.asking = undefined;
      });
      await period.asking;
    }
  }

  #period(accountId: string): Period {
    const known = this.#periods.get(accountId);
    const period = known ?? { endsAtMs: 0, ours: none(), left: { ...this.#quota }, asking: undefined };
    if (!period.asking && period.endsAtMs <= this.#deps.clock.now()) {
      period.ours = none();
      period.left = { ...this.#quota };
    }
    this.#periods.delete(accountId);
    this.#periods.set(accountId, period);
    if (this.#periods.size > accountsMax) {
      const [oldest] = this.#periods.keys();
      if (oldest !== undefined) this.#periods.delete(oldest);
    }
    return period;
  }

  async #ask(accountId: string, period: Period, kinds: readonly RequestKind[]): Promise<void> {
    const wanted = none();
    for (const one of kinds) {
      if (period.ours[one] === 0) wanted[one] = Math.max(1, Math.floor(period.left[one] * shareOfLeft));
    }
    const { counted, endsInMs } = await this.#deps.take(accountId, wanted);
    const { clock } = this.#deps;
    const isNext = period.endsAtMs <= clock.now();
    period.endsAtMs = clock.now() + endsInMs;
    for (const one of ['request', 'create'] as const) {
      const before = counted[one] - wanted[one];
      const granted = Math.max(0, Math.min(wanted[one], this.#quota[one] - before));
      period.ours[one] = (isNext ? 0 : period.ours[one]) + granted;
      period.left[one] = Math.max(0, this.#quota[one] - counted[one]);
    }
  }

  #secondsLeft({ endsAtMs }: Period): number {
    return Math.max(1, Math.ceil((endsAtMs - this.#deps.clock.now()) / 1000));
  }

  #refusal(kind: RequestKind, period: Period): ApiError {
    const headers = { ...this.#headers(kind, period), 'retry-after': String(this.#secondsLeft(period)) };
    return new ApiError('rate_limited', { headers });
  }

  #headers(kind: RequestKind, period: Period): Record<string, string> {
    const left = period.ours[kind] + period.left[kind];
    return {
      'ratelimit-policy': `"${kind}";q=${this.#quota[kind]};w=${periodSeconds}`,
      ratelimit: `"${kind}";r=${left};t=${this.#secondsLeft(period)}`,
    };
  }
}

function none(): RequestCounts {
  return { request: 0, create: 0 };
}
