/**
 * So many deliveries to one receiver may be between "being sent" and "outcome stored": these are the ones that a
 * killed process repeats. Others that were claimed ahead wait here.
 */
interface Waiting {
  sinceMs: number;
  enter(entered: boolean): void;
}

export class ReceiverGate {
  readonly #placesMax: number;
  readonly #inside = new Map<string, number>();
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(placesMax: number) {
    this.#placesMax = placesMax;
  }

  /** False when it was dismissed while it waited. */
  async enter(subscriptionId: string, nowMs: number): Promise<boolean> {
    const inside = this.#inside.get(subscriptionId) ?? 0;
    if (inside < this.#placesMax) {
      this.#inside.set(subscriptionId, inside + 1);
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiting = this.#waiting.get(subscriptionId) ?? [];
    waiting.push({ sinceMs: nowMs, enter: resolve });
    this.#waiting.set(subscriptionId, waiting);
    return await promise;
  }

  /** The place goes to the one that has waited longest, if any. */
  leave(subscriptionId: string): void {
    const waiting = this.#waiting.get(subscriptionId);
    const next = waiting?.shift();
    if (waiting?.length === 0) this.#waiting.delete(subscriptionId);
    if (next) {
      next.enter(true);
      return;
    }
    const inside = (this.#inside.get(subscriptionId) ?? 1) - 1;
    if (inside > 0) this.#inside.set(subscriptionId, inside);
    else this.#inside.delete(subscriptionId);
  }

  /** Sends away those who wait: the receiver has become slow, or nobody should try it. */
  dismiss(subscriptionId: string): void {
    const waiting = this.#waiting.get(subscriptionId) ?? [];
    this.#waiting.delete(subscriptionId);
    for (const { enter } of waiting) enter(false);
  }

  /** Receivers for which somebody has waited since `sinceMs` or longer. */
  stalledSince(sinceMs: number): string[] {
    return [...this.#waiting]
      .filter(([, [first]]) => first && first.sinceMs <= sinceMs)
      .map(([subscriptionId]) => subscriptionId);
  }

  dismissAll(): void {
    for (const subscriptionId of [...this.#waiting.keys()]) this.dismiss(subscriptionId);
  }
}
