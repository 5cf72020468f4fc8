/**
 * Who may send to a receiver now. A receiver has a few places for requests, and a window for deliveries that are
 * between "being sent" and "outcome on its way to the database": these are the ones that a killed process repeats.
 * Others that were claimed ahead wait here.
 */
interface Waiting {
  sinceMs: number;
  enter(entered: boolean): void;
}

interface Receiver {
  /** Requests under way. */
  sending: number;
  /** Those, and the ones whose outcome is not on its way to the database yet. */
  open: number;
  waiting: Waiting[];
}

export interface GateLimits {
  placesMax: number;
  /** At least as wide as the places. */
  windowOf(subscriptionId: string): number;
}

export class ReceiverGate {
  readonly #limits: GateLimits;
  readonly #receivers = new Map<string, Receiver>();

  constructor(limits: GateLimits) {
    this.#limits = limits;
  }

  /** False when it was dismissed while it waited. */
  enter(subscriptionId: string, nowMs: number): boolean | Promise<boolean> {
    const receiver = this.#receivers.get(subscriptionId) ?? { sending: 0, open: 0, waiting: [] };
    this.#receivers.set(subscriptionId, receiver);
    if (receiver.waiting.length === 0 && this.#hasRoom(subscriptionId, receiver)) {
      receiver.sending += 1;
      receiver.open += 1;
      return true;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    receiver.waiting.push({ sinceMs: nowMs, enter: resolve });
    return promise;
  }

  /** The request has ended; its outcome is still to be stored. */
  answered(subscriptionId: string): void {
    const receiver = this.#receivers.get(subscriptionId);
    if (!receiver) return;
    receiver.sending -= 1;
    this.#admit(subscriptionId, receiver);
  }

  /** The outcome is on its way. */
  leave(subscriptionId: string): void {
    const receiver = this.#receivers.get(subscriptionId);
    if (!receiver) return;
    receiver.open -= 1;
    this.#admit(subscriptionId, receiver);
    if (receiver.open === 0 && receiver.waiting.length === 0) this.#receivers.delete(subscriptionId);
  }

  /** Whether sending would soon have to wait for outcomes to be stored. */
  isTight(subscriptionId: string): boolean {
    const open = this.#receivers.get(subscriptionId)?.open ?? 0;
    const window = this.#limits.windowOf(subscriptionId);
    return window <= this.#limits.placesMax || open >= window / 2;
  }

  /** Sends away those who wait: the receiver has become slow, or nobody should try it. */
  dismiss(subscriptionId: string): void {
    const receiver = this.#receivers.get(subscriptionId);
    if (!receiver) return;
    for (const { enter } of receiver.waiting.splice(0)) enter(false);
  }

  /** Receivers for which somebody has waited since `sinceMs` or longer. */
  stalledSince(sinceMs: number): string[] {
    return [...this.#receivers]
      .filter(
        ([
          ,
          {
            waiting: [first],
          },
        ]) => first && first.sinceMs <= sinceMs,
      )
      .map(([subscriptionId]) => subscriptionId);
  }

  dismissAll(): void {
    for (const subscriptionId of this.#receivers.keys()) this.dismiss(subscriptionId);
  }

  #hasRoom(subscriptionId: string, { sending, open }: Receiver): boolean {
    return sending < this.#limits.placesMax && open < this.#limits.windowOf(subscriptionId);
  }

  /** The one that has waited longest goes first. */
  #admit(subscriptionId: string, receiver: Receiver): void {
    while (receiver.waiting.length > 0 && this.#hasRoom(subscriptionId, receiver)) {
      receiver.sending += 1;
      receiver.open += 1;
      receiver.waiting.shift()?.enter(true);
    }
  }
}
