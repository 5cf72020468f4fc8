/**
 * Sends what is due: looks for receivers with due deliveries, claims as many as have a free slot, sends them side by
 * side, stores what came of it. A slot is free again when the outcome is stored, so a killed process repeats no more
 * than its slots.
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Announcements } from '../platform/database/notifications.ts';
import type { SecretBox } from '../platform/secret-box.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { type AttemptDeps, attemptDelivery } from './attempt-delivery.ts';
import { coalesced } from './coalesced.ts';
import type { ClaimedDelivery, SettledDelivery } from './delivery.ts';
import { DeliverySlots, defaultSlotLimits, type SlotLimits } from './delivery-slots.ts';
import { deliveryStore } from './delivery-store.ts';
import type { RetrySchedule } from './retry-schedule.ts';
import type { SendWebhook } from './send-webhook.ts';
import { SigningKeys } from './subscription-secret.ts';
import { writeSettlements } from './write-settlements.ts';

/** Longer than the 15 s an attempt may take and the few seconds its outcome may need to be stored. */
const leaseMs = 30_000;
/** Where nothing is announced; otherwise only when a delivery is known to be due. */
const lookEveryMs = 250;
/** On it the database announces that a delivery waits. */
export const deliveryChannel = 'webhook_delivery';
const leaseCheckEveryMs = 5_000;

export interface DispatcherDeps {
  db: Database;
  clock: Clock;
  logger: Logger;
  secretBox: SecretBox;
  send: SendWebhook;
  schedule: RetrySchedule;
  announcements?: Announcements | undefined;
  limits?: SlotLimits;
  random?: () => number;
  noteAttempt?: (settled: SettledDelivery) => void;
}

export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #attempt: AttemptDeps;
  readonly #slots: DeliverySlots;
  readonly #stopping = new AbortController();
  readonly #leaseId = randomUUID();
  /** Deliveries under way. */
  readonly #running = new Set<Promise<void>>();
  /** Outcomes that are to be stored. */
  #outcomes: SettledDelivery[] = [];
  /** Receivers that answered 410, until the database knows it. */
  readonly #gone = new Set<string>();
  /** Receivers whose subscription ended while a claim was under way, which may still bring deliveries for them. */
  readonly #endedSinceClaim = new Set<string>();
  #accepting = false;
  #nextDueAtMs = 0;
  #endTicks: (() => void)[] = [];

  readonly #look = coalesced(() => this.#lookOnce());
  readonly #checkLeases = coalesced(() => this.#checkLeasesOnce());
  readonly #claim = coalesced(() => this.#claimOnce());
  readonly #writeOutcomes = coalesced(() => this.#writeOutcomesOnce());

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#attempt = {
      ...deps,
      random: deps.random ?? Math.random,
      keys: new SigningKeys(deps.secretBox),
      stopping: this.#stopping.signal,
    };
    this.#slots = new DeliverySlots(deps.limits ?? defaultSlotLimits);
  }

  start(): void {
    this.#accepting = true;
    const { clock } = this.#deps;
    this.#endTicks = [
      clock.every(lookEveryMs, () => this.#tick()),
      clock.every(leaseCheckEveryMs, () => void this.#checkLeases()),
    ];
    this.#deps.announcements?.hear(deliveryChannel, () => this.wake());
    void this.#checkLeases();
    this.wake();
  }

  #tick(): void {
    const { clock, announcements } = this.#deps;
    if (!announcements?.arrive || clock.now() >= this.#nextDueAtMs) this.wake();
  }

  /** Looks for due deliveries now instead of at the next tick. */
  wake(): void {
    void this.#look();
  }

  /** The subscription was removed or disabled: nothing more is sent to it, not even what is just being claimed. */
  endReceiver(subscriptionId: string): void {
    this.#endedSinceClaim.add(subscriptionId);
    this.#slots.removeDue(subscriptionId);
  }

  /** No new attempts; those under way may end for `graceMs`, the rest is cut off and counts as failed. */
  async stop(graceMs: number): Promise<void> {
    this.#accepting = false;
    for (const end of this.#endTicks) end();
    const graceOver = this.#deps.clock.timeout(graceMs);
    graceOver.addEventListener('abort', () => this.#stopping.abort(graceOver.reason), { once: true });
    await Promise.all([this.#look(), this.#checkLeases(), this.#claim()]);
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  async #lookOnce(): Promise<void> {
    if (!this.#accepting) return;
    try {
      const { due, nextInMs } = await deliveryStore.dueReceivers(this.#deps.db);
      this.#nextDueAtMs = this.#deps.clock.now() + (nextInMs ?? Number.POSITIVE_INFINITY);
      this.#slots.addDue(due);
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'due webhook deliveries could not be looked up');
      return;
    }
    void this.#claim();
  }

  async #checkLeasesOnce(): Promise<void> {
    if (!this.#accepting) return;
    const { db, logger, schedule } = this.#deps;
    try {
      const deliveries = await deliveryStore.endInterrupted(db, { schedule, leaseMs });
      if (deliveries > 0) logger.warn({ deliveries }, 'webhook attempts of a dead process count as failed');
    } catch (error) {
      logger.error({ err: error }, 'the leases of webhook deliveries could not be checked');
    }
  }

  async #claimOnce(): Promise<void> {
    if (!this.#accepting) return;
    const grants = this.#slots.grants().filter(({ subscriptionId }) => !this.#gone.has(subscriptionId));
    if (grants.length === 0) return;
    this.#endedSinceClaim.clear();
    let claimed: ClaimedDelivery[];
    try {
      claimed = await deliveryStore.claim(this.#deps.db, { grants, leaseId: this.#leaseId, leaseMs });
    } catch (error) {
      this.#deps.logger.error({ err: error }, 'webhook deliveries could not be claimed');
      return;
    }
    const claimedOf = Map.groupBy(claimed, ({ subscriptionId }) => subscriptionId);
    for (const { subscriptionId, slots } of grants) {
      // As many as there were slots: there may be more. Otherwise the next look finds what comes.
      if (claimedOf.get(subscriptionId)?.length === slots) this.#slots.addDue([subscriptionId]);
    }
    for (const delivery of claimed) this.#run(delivery);
    void this.#claim();
  }

  #run(delivery: ClaimedDelivery): void {
    const { subscriptionId } = delivery;
    const hasEnded = this.#endedSinceClaim.has(subscriptionId) || this.#gone.has(subscriptionId);
    const work = hasEnded || !this.#accepting ? this.#giveBack(delivery, 0) : this.#deliver(delivery);
    this.#slots.take(subscriptionId);
    const running = work
      .catch((error: unknown) => {
        this.#deps.logger.error({ err: error, deliveryId: delivery.id }, 'a webhook delivery broke off');
      })
      .finally(() => {
        this.#running.delete(running);
        this.#slots.free(subscriptionId);
        void this.#claim();
      });
    this.#running.add(running);
  }

  async #deliver(delivery: ClaimedDelivery): Promise<void> {
    const attempted = await attemptDelivery(delivery, this.#attempt);
    if ('delayMs' in attempted) return await this.#giveBack(delivery, attempted.delayMs);
    const { state } = attempted.settlement;
    this.#deps.noteAttempt?.(attempted);
    if (state === 'gone') this.#gone.add(delivery.subscriptionId);
    this.#outcomes.push(attempted);
    await this.#writeOutcomes();
    if (state === 'gone') this.#gone.delete(delivery.subscriptionId);
  }

  async #writeOutcomesOnce(): Promise<void> {
    // Answers to requests that were sent together arrive together: one turn of the event loop gathers them.
    await new Promise((resolve) => setImmediate(resolve));
    const batch = this.#outcomes;
    this.#outcomes = [];
    await writeSettlements(this.#deps, batch);
  }

  async #giveBack({ id, leaseId }: ClaimedDelivery, delayMs: number): Promise<void> {
    await deliveryStore.giveBack(this.#deps.db, { id, leaseId, delayMs });
  }
}
