import type { Settlement } from './delivery.ts';

export type AttemptCounts = Readonly<Record<Settlement['state'], number>>;

/** What came of the attempts of this process since it started. */
export class AttemptCounter {
  readonly #counts = { delivered: 0, retry: 0, exhausted: 0, gone: 0 };

  get counts(): AttemptCounts {
    return { ...this.#counts };
  }

  note(state: Settlement['state']): void {
    this.#counts[state] += 1;
  }
}
