/**
 * Who may send now. Each receiver has a few places, each account a share, the process a total; receivers with a
 * line take turns. So a receiver that hangs fills its own places and no other's.
 */
import type { WaitingReceiver } from './delivery-store.ts';

export interface PlaceLimits {
  /** Deliveries that this process holds: under way, or claimed ahead. */
  totalMax: number;
  perAccountMax: number;
  /** Under way to one receiver. */
  perReceiverMax: number;
}

/**
 * Three at once to one receiver: at 200 ms an answer that is 15 events a second, more than one machine transcribes.
 * Every place is also a request that may be repeated when the process is killed, so more is not better. Half of the
 * total for one account: two quick receivers with all that is claimed ahead for them.
 */
export const defaultPlaceLimits: PlaceLimits = { totalMax: 256, perAccountMax: 128, perReceiverMax: 3 };

export interface Grant {
  subscriptionId: string;
  places: number;
}

export class DeliveryPlaces {
  readonly #limits: PlaceLimits;
  /** Receivers known to have a line, in the order of their turn. */
  readonly #waiting = new Map<string, WaitingReceiver>();
  readonly #byReceiver = new Map<string, number>();
  readonly #byAccount = new Map<string, number>();
  #total = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#total;
  }

  addWaiting(receivers: Iterable<WaitingReceiver>): void {
    for (const receiver of receivers) {
      if (!this.#waiting.has(receiver.subscriptionId)) this.#waiting.set(receiver.subscriptionId, receiver);
    }
  }

  /** Its line is empty for now; the next look at the lines finds it again. */
  removeWaiting(subscriptionId: string): void {
    this.#waiting.delete(subscriptionId);
  }

  /** Free places for the receivers whose turn it is. One place each before anybody has a second. */
  grants(ahead: (subscriptionId: string) => number = () => 0): Grant[] {
    const grants = new Map<string, number>();
    const accountGrants = new Map<string, number>();
    let free = this.#limits.totalMax - this.#total;
    let candidates = [...this.#waiting.values()]
      .map((receiver) => ({ ...receiver, room: this.#roomOf(receiver, ahead(receiver.subscriptionId)) }))
      .filter(({ room }) => room > 0);
    while (candidates.length > 0 && free > 0) {
      candidates = candidates.filter(({ subscriptionId, accountId, room }) => {
        const granted = count(grants, subscriptionId);
        const ofAccount = count(this.#byAccount, accountId) + count(accountGrants, accountId);
        if (free === 0 || granted >= room || ofAccount >= this.#limits.perAccountMax) return false;
        grants.set(subscriptionId, granted + 1);
        accountGrants.set(accountId, count(accountGrants, accountId) + 1);
        free -= 1;
        return true;
      });
    }
    this.#yieldTurn(grants.keys());
    return [...grants].map(([subscriptionId, places]) => ({ subscriptionId, places }));
  }

  /** Stock that was claimed ahead is filled up when half of it is used, not one by one. */
  #roomOf({ subscriptionId }: WaitingReceiver, ahead: number): number {
    const room = this.#limits.perReceiverMax + ahead - count(this.#byReceiver, subscriptionId);
    return room >= ahead / 2 ? room : 0;
  }

  take(receiver: WaitingReceiver): void {
    this.#total += 1;
    this.#byReceiver.set(receiver.subscriptionId, count(this.#byReceiver, receiver.subscriptionId) + 1);
    this.#byAccount.set(receiver.accountId, count(this.#byAccount, receiver.accountId) + 1);
  }

  free(receiver: WaitingReceiver): void {
    this.#total -= 1;
    decrease(this.#byReceiver, receiver.subscriptionId);
    decrease(this.#byAccount, receiver.accountId);
  }

  #yieldTurn(subscriptionIds: Iterable<string>): void {
    for (const subscriptionId of subscriptionIds) {
      const receiver = this.#waiting.get(subscriptionId);
      if (!receiver) continue;
      this.#waiting.delete(subscriptionId);
      this.#waiting.set(subscriptionId, receiver);
    }
  }
}

function count(counts: ReadonlyMap<string, number>, id: string): number {
  return counts.get(id) ?? 0;
}

function decrease(counts: Map<string, number>, id: string): void {
  const left = count(counts, id) - 1;
  if (left > 0) counts.set(id, left);
  else counts.delete(id);
}
