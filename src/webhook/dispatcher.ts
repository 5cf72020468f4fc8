/**
 * Sends what waits in the lines: looks for receivers with a line, claims the heads that have a free place, sends
 * them side by side, stores what came of it.
 */
import { type KeyObject, randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Logger } from '../platform/telemetry.ts';
import { Batch } from './batch.ts';
import {
  type AttemptOutcome,
  type ClaimedDelivery,
  type SettledDelivery,
  settleDelivery,
  signDelivery,
} from './delivery.ts';
import { DeliveryPlaces, defaultPlaceLimits, type PlaceLimits } from './delivery-places.ts';
import {
  claimDeliveries,
  type GivenBack,
  giveBackDeliveries,
  reclaimAbandoned,
  waitingReceivers,
} from './delivery-store.ts';
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
/** A secret that cannot be opened is the operator's to repair; it costs the receiver no attempt. */
const unreadableSecretDelayMs = 60_000;

export interface DispatcherOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
  secretBox: SecretBox;
  send: SendWebhook;
  schedule: RetrySchedule;
  limits?: PlaceLimits;
  random?: () => number;
}

export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #random: () => number;
  readonly #keys: SigningKeys;
  readonly #places: DeliveryPlaces;
  readonly #gate: ReceiverGate;
  readonly #pace = new ReceiverPace();
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

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#keys = new SigningKeys(options.secretBox);
    const limits = options.limits ?? defaultPlaceLimits;
    this.#places = new DeliveryPlaces(limits);
    this.#gate = new ReceiverGate(limits.perReceiverMax);
    this.#settled = new Batch((settled) => writeSettlements(options, settled));
    this.#givenBack = new Batch((deliveries) =>
      giveBackDeliveries(options.database, { deliveries, now: options.clock.date() }),
    );
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

  /** No new attempts; those in flight may end for `graceMs`, the rest is given back to the line. */
  async stop(graceMs: number): Promise<void> {
    this.#accepting = false;
    this.#endLooking();
    const graceOver = this.#options.clock.timeout(graceMs);
    graceOver.addEventListener('abort', () => this.#stopping.abort(graceOver.reason), { once: true });
    await this.#looking;
    await this.#turning;
    this.#gate.dismissAll();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #look(): Promise<void> {
    const { database, clock, logger } = this.#options;
    this.#dismissStalled(clock.now() - stalledAfterMs);
    try {
      const abandoned = await reclaimAbandoned(database, clock.date());
      if (abandoned > 0)
        logger.warn({ deliveries: abandoned }, 'webhook deliveries of a dead process taken over');
      this.#places.addWaiting(await waitingReceivers(database, clock.date()));
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
    const { database, clock, logger } = this.#options;
    const grants = this.#places.grants((subscriptionId) => this.#pace.ahead(subscriptionId));
    if (grants.length === 0) return;
    const nowMs = clock.now();
    let claimed: ClaimedDelivery[];
    try {
      claimed = await claimDeliveries(database, {
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
    for (const delivery of claimed) this.#run(delivery);
  }

  #run(delivery: ClaimedDelivery): void {
    this.#places.take(delivery);
    const running = this.#deliver(delivery)
      .catch((error: unknown) => {
        this.#options.logger.error({ err: error, deliveryId: delivery.id }, 'a webhook delivery broke off');
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const entered = await this.#gate.enter(delivery.subscriptionId, this.#options.clock.now());
    try {
      const settled = await this.#sendOrGiveBack(delivery, entered).finally(() => this.#freePlace(delivery));
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
    const { sent, written } = this.#settled.add(settled);
    const stored = written.catch(() => {}).finally(() => this.#running.delete(stored));
    this.#running.add(stored);
    await (settled.settlement.state === 'delivered' ? sent : written);
  }

  async #sendOrGiveBack(delivery: ClaimedDelivery, entered: boolean): Promise<SettledDelivery | undefined> {
    if (!entered) return await this.#giveBack(delivery, 0);
    const settled = await this.#attempt(delivery);
    const { subscriptionId } = delivery;
    if (settled && !this.#pace.note(subscriptionId, paceOf(settled))) this.#gate.dismiss(subscriptionId);
    return settled;
  }

  /** The next delivery is claimed while this outcome is being stored, and sent when it is stored. */
  #freePlace(delivery: ClaimedDelivery): void {
    this.#places.free(delivery);
    this.#takeTurn();
  }

  /** Undefined when the delivery was given back. */
  async #attempt(delivery: ClaimedDelivery): Promise<SettledDelivery | undefined> {
    const { clock, logger, schedule } = this.#options;
    if (!this.#accepting) return await this.#giveBack(delivery, 0);
    let key: KeyObject;
    try {
      key = this.#keys.of(delivery);
    } catch (error) {
      logger.error(
        { err: error, subscriptionId: delivery.subscriptionId },
        'a webhook secret could not be opened',
      );
      return await this.#giveBack(delivery, unreadableSecretDelayMs);
    }
    const startedAt = clock.date();
    const request = signDelivery(delivery, { key, nowMs: startedAt.getTime() });
    const outcome = await this.#send(request);
    if (outcome === 'stopped') return await this.#giveBack(delivery, 0);
    const durationMs = Math.max(0, clock.now() - startedAt.getTime());
    const settled = settleDelivery(
      { delivery, startedAt, durationMs, outcome },
      { schedule, random: this.#random },
    );
    if (settled.settlement.state === 'exhausted') {
      logger.warn(
        { deliveryId: delivery.id, subscriptionId: delivery.subscriptionId },
        'a webhook delivery failed at its last attempt',
      );
    }
    return settled;
  }

  async #send(request: Parameters<SendWebhook>[0]): Promise<AttemptOutcome | 'stopped'> {
    const outcome = await this.#options.send(request, this.#stopping.signal);
    return outcome.kind === 'failed' && this.#stopping.signal.aborted ? 'stopped' : outcome;
  }

  async #giveBack(delivery: ClaimedDelivery, delayMs: number): Promise<undefined> {
    const nextAttemptAt = new Date(this.#options.clock.now() + delayMs);
    await this.#givenBack.add({ id: delivery.id, leaseId: delivery.leaseId, nextAttemptAt }).written;
  }
}

function paceOf({ settlement, durationMs }: SettledDelivery): { acknowledged: boolean; durationMs: number } {
  return { acknowledged: settlement.state === 'delivered', durationMs };
}
