/**
 * Sends what waits in the lines: looks for receivers with a line, claims the heads that have a free place, sends
 * them side by side, stores what came of it.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Logger } from '../platform/telemetry.ts';
import { AttemptCounter, type AttemptCounts } from './attempt-counts.ts';
import { type AttemptDeps, attemptDelivery } from './attempt-delivery.ts';
import { Batch } from './batch.ts';
import type { ClaimedDelivery, SettledDelivery } from './delivery.ts';
import { DeliveryPlaces, defaultPlaceLimits, type PlaceLimits } from './delivery-places.ts';
import { deliveryStore, type GivenBack } from './delivery-store.ts';
import { EndedReceivers } from './ended-receivers.ts';
import { ReceiverGate } from './receiver-gate.ts';
import { ReceiverPace } from './receiver-pace.ts';
import type { RetrySchedule } from './retry-schedule.ts';
import type { SendWebhook } from './send-webhook.ts';
import { SigningKeys } from './subscription-secret.ts';
import { writeSettlements } from './write-settlements.ts';

/** Longer than the 15 s an attempt may take and the few seconds its outcome may need to be stored. */
const leaseMs = 30_000;
const lookEveryMs = 250;
const stalledAfterMs = 500;
/** Outcomes of a receiver that has room for more may wait this long for others to be stored with. */
const lingerMs = 10;

export interface DispatcherDeps {
  db: Database;
  clock: Clock;
  logger: Logger;
  secretBox: SecretBox;
  send: SendWebhook;
  schedule: RetrySchedule;
  limits?: PlaceLimits;
  random?: () => number;
}

export class Dispatcher {
  readonly #options: DispatcherDeps;
  readonly #attempt: AttemptDeps;
  readonly #places: DeliveryPlaces;
  readonly #gate: ReceiverGate;
  readonly #pace: ReceiverPace;
  readonly #ended = new EndedReceivers();
  readonly #counter = new AttemptCounter();
  readonly #settled: Batch<SettledDelivery>;
  readonly #givenBack: Batch<GivenBack>;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #leaseId = randomUUID();
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #turning: Promise<void> | undefined;
  #turnAgain = false;
  #accepting = false;
  #endLooking: () => void = () => {};

  constructor(options: DispatcherDeps) {
    this.#options = options;
    this.#attempt = {
      ...options,
      random: options.random ?? Math.random,
      keys: new SigningKeys(options.secretBox),
      stopping: this.#stopping.signal,
    };
    const limits = options.limits ?? defaultPlaceLimits;
    this.#places = new DeliveryPlaces(limits);
    const placesMax = limits.perReceiverMax;
    this.#pace = new ReceiverPace(placesMax);
    const windowOf = (subscriptionId: string) => this.#pace.window(subscriptionId);
    this.#gate = new ReceiverGate({ placesMax, windowOf });
    this.#settled = new Batch({
      write: (settled) => this.#write(settled),
      linger: (signal) => options.clock.sleep(lingerMs, signal).catch(() => {}),
    });
    this.#givenBack = new Batch({
      write: (deliveries) => deliveryStore.giveBack(options.db, { deliveries, now: options.clock.date() }),
    });
  }

  start(): void {
    this.#accepting = true;
    this.#endLooking = this.#options.clock.every(lookEveryMs, () => this.wake());
    this.wake();
  }

  /** Looks at the lines now instead of at the next tick. */
  wake(): void {
    if (!this.#accepting) return;
    if (this.#looking) {
      this.#lookAgain = true;
      return;
    }
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#lookAgain) {
        this.#lookAgain = false;
        this.wake();
      }
    });
  }

  get attemptCounts(): AttemptCounts {
    return this.#counter.counts;
  }

  /** The subscription was removed or disabled: nothing more is sent to it, not even what was claimed before. */
  endReceiver(subscriptionId: string): void {
    this.#ended.add(subscriptionId);
    this.#places.removeWaiting(subscriptionId);
    this.#pace.forget(subscriptionId);
    this.#gate.dismiss(subscriptionId);
  }

  /** No new attempts; those in flight may end for `graceMs`, the rest is given back to the line. */
  async stop(graceMs: number): Promise<void> {
    this.#accepting = false;
    this.#endLooking();
    const graceOver = this.#options.clock.timeout(graceMs);
    graceOver.addEventListener('abort', () => this.#stopping.abort(graceOver.reason), { once: true });
    this.#settled.flush();
    await this.#looking;
    await this.#turning;
    this.#gate.dismissAll();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #look(): Promise<void> {
    const { db, clock, logger } = this.#options;
    this.#dismissStalled(clock.now() - stalledAfterMs);
    try {
      const abandoned = await deliveryStore.reclaimAbandoned(db, clock.date());
      if (abandoned > 0)
        logger.warn({ deliveries: abandoned }, 'webhook deliveries of a dead process taken over');
      this.#places.addWaiting(await deliveryStore.dueReceivers(db, clock.date()));
    } catch (error) {
      logger.error({ err: error }, 'the webhook lines could not be read');
      return;
    }
    this.#takeTurn();
  }

  /** A receiver that fell silent must not keep what was claimed ahead for it, nor the places that counts for. */
  #dismissStalled(sinceMs: number): void {
    for (const subscriptionId of this.#gate.stalledSince(sinceMs)) {
      this.#pace.forget(subscriptionId);
      this.#gate.dismiss(subscriptionId);
    }
  }

  #takeTurn(): void {
    if (!this.#accepting) return;
    if (this.#turning) {
      this.#turnAgain = true;
      return;
    }
    this.#turning = this.#turn().finally(() => {
      this.#turning = undefined;
      if (this.#turnAgain) {
        this.#turnAgain = false;
        this.#takeTurn();
      }
    });
  }

  async #turn(): Promise<void> {
    const { db, clock, logger } = this.#options;
    const grants = this.#places.grants((subscriptionId) => this.#pace.ahead(subscriptionId));
    if (grants.length === 0) return;
    const nowMs = clock.now();
    this.#ended.beginClaim();
    let claimed: ClaimedDelivery[];
    try {
      claimed = await deliveryStore.claim(db, {
        receivers: grants,
        now: new Date(nowMs),
        leaseId: this.#leaseId,
        leaseUntil: new Date(nowMs + leaseMs),
      });
    } catch (error) {
      logger.error({ err: error }, 'webhook deliveries could not be claimed');
      return;
    }
    const claimedOf = Map.groupBy(claimed, (delivery) => delivery.subscriptionId);
    for (const { subscriptionId, places } of grants) {
      const count = claimedOf.get(subscriptionId)?.length ?? 0;
      if (count < places) {
        this.#places.removeWaiting(subscriptionId);
        this.#pace.forget(subscriptionId);
      }
    }
    for (const delivery of claimed) {
      if (this.#ended.has(delivery.subscriptionId)) this.#track(delivery, this.#giveBack(delivery, 0));
      else this.#run(delivery);
    }
  }

  #run(delivery: ClaimedDelivery): void {
    this.#places.take(delivery);
    this.#track(delivery, this.#deliver(delivery));
  }

  #track(delivery: ClaimedDelivery, work: Promise<unknown>): void {
    const running = work
      .then(() => {})
      .catch((error: unknown) => {
        this.#options.logger.error({ err: error, deliveryId: delivery.id }, 'a webhook delivery broke off');
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const entered = await this.#gate.enter(delivery.subscriptionId, this.#options.clock.now());
    try {
      const settled = await this.#sendOrGiveBack(delivery, entered).finally(() => {
        if (entered) this.#gate.answered(delivery.subscriptionId);
        this.#freePlace(delivery);
      });
      if (settled) await this.#store(settled);
    } finally {
      if (entered) this.#gate.leave(delivery.subscriptionId);
    }
  }

  /**
   * The receiver's place is free again when the outcome is on its way to the database; anything but success is
   * stored first, because it may mean that nothing more goes to this receiver.
   */
  async #store(settled: SettledDelivery): Promise<void> {
    const isDelivered = settled.settlement.state === 'delivered';
    const urgent = !isDelivered || !this.#accepting || this.#gate.isTight(settled.delivery.subscriptionId);
    const { sent, written } = this.#settled.add(settled, { urgent });
    const stored = written
      .catch(() => {})
      .finally(() => {
        if (settled.settlement.state === 'gone') this.#ended.tell(settled.delivery.subscriptionId);
        this.#running.delete(stored);
      });
    this.#running.add(stored);
    await (isDelivered ? sent : written);
  }

  async #write(settled: readonly SettledDelivery[]): Promise<void> {
    const { endedReceivers } = await writeSettlements(this.#options, settled);
    for (const subscriptionId of endedReceivers) this.endReceiver(subscriptionId);
  }

  /** Undefined when the delivery was given back. */
  async #sendOrGiveBack(delivery: ClaimedDelivery, entered: boolean): Promise<SettledDelivery | undefined> {
    if (!entered || !this.#accepting) return await this.#giveBack(delivery, 0);
    const attempted = await attemptDelivery(delivery, this.#attempt);
    if ('retryAfterMs' in attempted) return await this.#giveBack(delivery, attempted.retryAfterMs);
    const { subscriptionId } = delivery;
    const { state } = attempted.settlement;
    this.#counter.note(state);
    const acknowledged = state === 'delivered';
    const isQuick = this.#pace.note(subscriptionId, { acknowledged, durationMs: attempted.durationMs });
    if (!isQuick) this.#gate.dismiss(subscriptionId);
    if (state === 'gone') this.#ended.addUntold(subscriptionId);
    return attempted;
  }

  /** The next delivery is claimed while this outcome is being stored, and sent when it is stored. */
  #freePlace(delivery: ClaimedDelivery): void {
    this.#places.free(delivery);
    this.#takeTurn();
  }

  async #giveBack(delivery: ClaimedDelivery, delayMs: number): Promise<undefined> {
    const nextAttemptAt = new Date(this.#options.clock.now() + delayMs);
    await this.#givenBack.add({ id: delivery.id, leaseId: delivery.leaseId, nextAttemptAt }).written;
  }
}
