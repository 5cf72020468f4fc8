/**
 * Who may send now. Each receiver has a few slots, the process a total; receivers with due deliveries take turns. So
 * a receiver that hangs fills its own slots and no other's.
 */
export interface SlotLimits {
  totalMax: number;
  perReceiverMax: number;
}

/**
 * Three at once to one receiver: at 200 ms an answer that is 15 events a second, more than one machine transcribes.
 * Every slot is also a request that is repeated when the process is killed, so more is not better. An account has at
 * most 20 receivers, so it cannot fill a quarter of the total.
 */
export const defaultSlotLimits: SlotLimits = { totalMax: 256, perReceiverMax: 3 };

export interface Grant {
  subscriptionId: string;
  slots: number;
}

export class DeliverySlots {
  readonly #limits: SlotLimits;
  /** Receivers known to have due deliveries, in the order of their turn. */
  readonly #due = new Set<string>();
  readonly #inUse = new Map<string, number>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  addDue(subscriptionIds: Iterable<string>): void {
    for (const subscriptionId of subscriptionIds) this.#due.add(subscriptionId);
  }

  removeDue(subscriptionId: string): void {
    this.#due.delete(subscriptionId);
  }

  /**
   * Free slots for the receivers whose turn it is, one each before anybody has a second. Whoever gets one is not known
   * to have due deliveries any more: if there are as many as slots, or a look finds more meanwhile, it is added again.
   */
  grants(): Grant[] {
    const grants = new Map<string, number>();
    let free = this.#limits.totalMax - this.#total;
    for (let round = 1; round <= this.#limits.perReceiverMax; round += 1) {
      for (const subscriptionId of this.#due) {
        const granted = grants.get(subscriptionId) ?? 0;
        const taken = granted + (this.#inUse.get(subscriptionId) ?? 0);
        if (free === 0 || granted >= round || taken >= this.#limits.perReceiverMax) continue;
        grants.set(subscriptionId, granted + 1);
        free -= 1;
      }
    }
    for (const subscriptionId of grants.keys()) this.#due.delete(subscriptionId);
    return [...grants].map(([subscriptionId, slots]) => ({ subscriptionId, slots }));
  }

  take(subscriptionId: string): void {
    this.#total += 1;
    this.#inUse.set(subscriptionId, (this.#inUse.get(subscriptionId) ?? 0) + 1);
  }

  free(subscriptionId: string): void {
    this.#total -= 1;
    const left = (this.#inUse.get(subscriptionId) ?? 0) - 1;
    if (left > 0) this.#inUse.set(subscriptionId, left);
    else this.#inUse.delete(subscriptionId);
  }
}
