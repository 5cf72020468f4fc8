/**
 * Sends what waits in the lines: looks for receivers with a line, claims the heads that have a free place, sends
 * them side by side, stores what came of it.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Logger } from '../platform/telemetry.ts';
import { type AttemptOutcome, type ClaimedDelivery, settleDelivery, signDelivery } from './delivery.ts';
import { DeliveryPlaces, defaultPlaceLimits, type PlaceLimits } from './delivery-places.ts';
import { claimDeliveries, giveBackDeliveries, reclaimAbandoned, waitingReceivers } from './delivery-store.ts';
import type { RetrySchedule } from './retry-schedule.ts';
import type { SendWebhook } from './send-webhook.ts';
import { SettlementWriter } from './settlement-writer.ts';
import { secretContext } from './subscription-secret.ts';

/** Longer than the 15 s an attempt may take and the few seconds its outcome may need to be stored. */
const leaseMs = 30_000;
const lookEveryMs = 500;
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
  readonly #places: DeliveryPlaces;
  readonly #writer: SettlementWriter;
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
    this.#places = new DeliveryPlaces(options.limits ?? defaultPlaceLimits);
    this.#writer = new SettlementWriter(options);
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
    await this.#looking;
    await this.#turning;
    const graceOver = this.#options.clock.timeout(graceMs);
    graceOver.addEventListener('abort', () => this.#stopping.abort(graceOver.reason), { once: true });
    await Promise.all(this.#running);
  }

  async #look(): Promise<void> {
    const { database, clock, logger } = this.#options;
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
    const grants = this.#places.grants();
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
      if (count < places) this.#places.removeWaiting(subscriptionId);
    }
    for (const delivery of claimed) this.#run(delivery);
  }

  #run(delivery: ClaimedDelivery): void {
    this.#places.take(delivery);
    const running = this.#deliver(delivery)
      .catch((error: unknown) => {
        this.#options.logger.error({ err: error, deliveryId: delivery.id }, 'a webhook delivery broke off');
      })
      .finally(() => {
        this.#running.delete(running);
        this.#places.free(delivery);
        this.#takeTurn();
      });
    this.#running.add(running);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const { clock, secretBox, logger, schedule } = this.#options;
    let secret: string;
    try {
      secret = secretBox.open(delivery.sealedSecret, secretContext(delivery.subscriptionId));
    } catch (error) {
      logger.error(
        { err: error, subscriptionId: delivery.subscriptionId },
        'a webhook secret could not be opened',
      );
      await this.#giveBack(delivery, unreadableSecretDelayMs);
      return;
    }
    const startedAt = clock.date();
    const request = signDelivery(delivery, { secret, nowMs: startedAt.getTime() });
    const outcome = await this.#send(request);
    if (outcome === 'stopped') {
      await this.#giveBack(delivery, 0);
      return;
    }
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
    await this.#writer.write(settled);
  }

  async #send(request: Parameters<SendWebhook>[0]): Promise<AttemptOutcome | 'stopped'> {
    const outcome = await this.#options.send(request, this.#stopping.signal);
    return outcome.kind === 'failed' && this.#stopping.signal.aborted ? 'stopped' : outcome;
  }

  async #giveBack(delivery: ClaimedDelivery, delayMs: number): Promise<void> {
    const { database, clock } = this.#options;
    await giveBackDeliveries(database, {
      ids: [delivery.id],
      leaseId: delivery.leaseId,
      nextAttemptAt: new Date(clock.now() + delayMs),
    });
  }
}
