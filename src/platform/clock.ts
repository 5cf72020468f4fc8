import { setTimeout as delay } from 'node:timers/promises';

/** The only access to time. Tests pass a clock that they move by hand. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  date(): Date;
  /** Resolves after `ms`; rejects with the signal's reason when it aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A signal that aborts with a TimeoutError after `ms`. It does not keep the process alive. */
  timeout(ms: number): AbortSignal;
  /** Calls `tick` every `ms` until the returned function is called. It does not keep the process alive. */
  every(ms: number, tick: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  date: () => new Date(),
  sleep: (ms, signal) => delay(ms, undefined, signal ? { signal } : {}),
  timeout: (ms) => AbortSignal.timeout(ms),
  every(ms, tick) {
    const timer = setInterval(tick, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};
