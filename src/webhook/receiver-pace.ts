/**
 * How far to run ahead for a receiver that acknowledges at once; any failure or slow answer ends that.
 *
 * Claimed ahead: looking for work costs as much for thirty deliveries as for one. Never more than its places send in
 * a fifth of a second at the speed of its last answer.
 *
 * Sent before the last outcomes are stored: one statement stores thirty outcomes as cheaply as three. These are also
 * the deliveries that a killed process repeats, so their number grows with what the receiver has acknowledged: never
 * more than a fortieth of it, whatever the moment of the kill.
 */
const aheadMax = 60;
const aheadFirst = 4;
const aheadMs = 200;
const quickMs = 60;
const acknowledgedPerRepeat = 40;
const windowMax = 48;

interface Pace {
  ahead: number;
  /** One after the other, without a failure or a slow answer between them. */
  acknowledged: number;
}

export class ReceiverPace {
  readonly #placesMax: number;
  readonly #paces = new Map<string, Pace>();

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  ahead(subscriptionId: string): number {
    return this.#paces.get(subscriptionId)?.ahead ?? 0;
  }

  /** How many deliveries may be between "being sent" and "outcome on its way to the database". */
  window(subscriptionId: string): number {
    const acknowledged = this.#paces.get(subscriptionId)?.acknowledged ?? 0;
    const earned = Math.min(windowMax, Math.floor(acknowledged / acknowledgedPerRepeat));
    return Math.max(this.#placesMax, earned);
  }

  /** Notes an attempt; false when nothing may wait for this receiver any more. */
  note(subscriptionId: string, attempt: { acknowledged: boolean; durationMs: number }): boolean {
    if (!attempt.acknowledged || attempt.durationMs > quickMs) {
      this.#paces.delete(subscriptionId);
      return false;
    }
    const pace = this.#paces.get(subscriptionId) ?? { ahead: aheadFirst / 2, acknowledged: 0 };
    const inTime = Math.floor((this.#placesMax * aheadMs) / Math.max(1, attempt.durationMs));
    pace.ahead = Math.min(aheadMax, inTime, pace.ahead * 2);
    pace.acknowledged += 1;
    this.#paces.set(subscriptionId, pace);
    return true;
  }

  /** Its line is empty: nothing to claim ahead, and nothing to remember. */
  forget(subscriptionId: string): void {
    this.#paces.delete(subscriptionId);
  }
}
