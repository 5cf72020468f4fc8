/**
 * How many deliveries to claim ahead for a receiver. Looking for work costs as much for thirty as for one, so a
 * receiver that acknowledges at once gets its next ones claimed early; any failure or slow answer ends that. What is
 * claimed ahead is sent in well under a second, so a deleted subscription still falls silent.
 */
const aheadMax = 28;
const aheadFirst = 4;
const quickMs = 60;

export class ReceiverPace {
  readonly #ahead = new Map<string, number>();

  ahead(subscriptionId: string): number {
    return this.#ahead.get(subscriptionId) ?? 0;
  }

  /** Notes an attempt; false when nothing may wait for this receiver any more. */
  note(subscriptionId: string, attempt: { acknowledged: boolean; durationMs: number }): boolean {
    if (!attempt.acknowledged || attempt.durationMs > quickMs) {
      this.#ahead.delete(subscriptionId);
      return false;
    }
    this.#ahead.set(subscriptionId, Math.min(aheadMax, Math.max(aheadFirst, this.ahead(subscriptionId) * 2)));
    return true;
  }

  /** Its line is empty: nothing to claim ahead, and nothing to remember. */
  forget(subscriptionId: string): void {
    this.#ahead.delete(subscriptionId);
  }
}
