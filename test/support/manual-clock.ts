import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../src/platform/clock.ts';

interface Alarm {
  atMs: number;
  ring(): void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #nowMs: number;
  readonly #alarms = new Set<Alarm>();

  constructor(startMs: number = Date.UTC(2026, 0, 1)) {
    this.#nowMs = startMs;
  }

  now(): number {
    return this.#nowMs;
  }

  date(): Date {
    return new Date(this.#nowMs);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) {
      reject(signal.reason);
      return promise;
    }
    const abort = () => {
      this.#alarms.delete(alarm);
      reject(signal?.reason);
    };
    const alarm = this.#set(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
    return promise;
  }

  timeout(ms: number): AbortSignal {
    const controller = new AbortController();
    this.#set(ms, () =>
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    );
    return controller.signal;
  }

  every(ms: number, tick: () => void): () => void {
    let alarm: Alarm;
    const again = () => {
      alarm = this.#set(Math.max(1, ms), () => {
        again();
        tick();
      });
    };
    again();
    return () => {
      this.#alarms.delete(alarm);
    };
  }

  /** How many sleeps, timeouts and repeated ticks wait for time to pass. */
  get waiting(): number {
    return this.#alarms.size;
  }

  /** Moves time forward, ringing what falls due in its order; what an alarm sets off may set further ones. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      await nextTurn(); // What was just started gets the chance to set its own alarms.
      const next = this.#nextUntil(untilMs);
      if (!next) break;
      this.#alarms.delete(next);
      this.#nowMs = next.atMs;
      next.ring();
    }
    this.#nowMs = untilMs;
    await nextTurn();
  }

  #set(ms: number, ring: () => void): Alarm {
    const alarm = { atMs: this.#nowMs + Math.max(0, ms), ring };
    this.#alarms.add(alarm);
    return alarm;
  }

  #nextUntil(untilMs: number): Alarm | undefined {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if (alarm.atMs <= untilMs && (!next || alarm.atMs < next.atMs)) next = alarm;
    }
    return next;
  }
}
