/**
 * Accounts, subscriptions and ended jobs around a real dispatcher, on a database of its own. Its own clock, which only
 * measures how long a request takes, stands months away from the time of the database.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { EventType } from '../../src/contract/webhook.ts';
import { createEgress, type Egress, type EgressOptions } from '../../src/egress/egress.ts';
import { parseEgressAllow } from '../../src/egress/url.ts';
import { type Database, onlyRow } from '../../src/platform/database/database.ts';
import { SecretBox } from '../../src/platform/secret-box.ts';
import { createSubscription } from '../../src/webhook/create-subscription.ts';
import type { Settlement } from '../../src/webhook/delivery.ts';
import { deliveryLogStore, type LoggedDelivery } from '../../src/webhook/delivery-log-store.ts';
import type { SlotLimits } from '../../src/webhook/delivery-slots.ts';
import { Dispatcher } from '../../src/webhook/dispatcher.ts';
import { receiverUrlCheck } from '../../src/webhook/receiver-url.ts';
import { recordTerminalEvent } from '../../src/webhook/record-terminal-event.ts';
import { defaultScheduleSetting, parseRetrySchedule } from '../../src/webhook/retry-schedule.ts';
import { webhookSender } from '../../src/webhook/send-webhook.ts';
import { type Hooks, onCleanup } from './cleanup.ts';
import { openTestDatabase } from './database.ts';
import { eventually } from './eventually.ts';
import { ManualClock } from './manual-clock.ts';
import { principalOfId } from './principal.ts';
import { silentLogger } from './silent-logger.ts';

export const bothTypes: EventType[] = ['transcription.completed', 'transcription.failed'];

export interface WorldOptions
  extends Partial<Pick<EgressOptions, 'resolve' | 'dial' | 'trustedCertificates'>> {
  /** Targets that may be reached although they are not public. */
  allow?: readonly string[];
  schedule?: string;
  /** Of the process: months behind unless given. */
  clock?: ManualClock;
  limits?: SlotLimits;
  /** 0.5 is the middle of the jitter: the schedule as written. */
  random?: () => number;
  db?: Database;
}

export class WebhookWorld {
  readonly clock: ManualClock;
  readonly secretKey = randomBytes(32);
  readonly secretBox = new SecretBox([this.secretKey]);
  readonly db: Database;
  readonly egress: Egress;
  readonly #options: WorldOptions;
  #dispatchers: Dispatcher[] = [];
  /** Attempts by what came of them. */
  readonly attempts: Partial<Record<Settlement['state'], number>> = {};

  constructor(db: Database, { allow = [], ...options }: WorldOptions) {
    this.db = db;
    this.clock = options.clock ?? new ManualClock();
    this.#options = options;
    this.egress = createEgress({
      allow: parseEgressAllow(allow.join(',')),
      clock: this.clock,
      ...(options.resolve ? { resolve: options.resolve } : {}),
      ...(options.dial ? { dial: options.dial } : {}),
      ...(options.trustedCertificates ? { trustedCertificates: options.trustedCertificates } : {}),
    });
  }

  async account(): Promise<string> {
    const id = randomUUID();
    await this.db.query(`insert into account (id, name, plan) values ($1, 'test', 'pro')`, [id]);
    return id;
  }

  async subscribe(accountId: string, url: string, events: EventType[] = bothTypes) {
    const checkReceiverUrl = receiverUrlCheck(this.egress);
    return await createSubscription({ ...this, checkReceiverUrl }, principalOfId(accountId), { url, events });
  }

  /** Ends an invented job as the job flow does: in one transaction. */
  async endJob(
    accountId: string,
    job: { status?: 'completed' | 'failed'; filename?: string; durationSeconds?: number | null } = {},
  ): Promise<string> {
    const id = randomUUID();
    await this.db.transaction(async (tx) => {
      const { status = 'completed', filename = 'talk.mp3', durationSeconds = 61.6 } = job;
      const ended = { id, accountId, status, filename, durationSeconds };
      await recordTerminalEvent(tx, ended, {
        publicUrl: 'https://longhand.example.com',
        schedule: parseRetrySchedule(this.#options.schedule ?? defaultScheduleSetting),
      });
    });
    for (const dispatcher of this.#dispatchers) dispatcher.wake();
    return id;
  }

  /** The time that counts for events and deliveries. */
  async now(): Promise<Date> {
    return onlyRow(await this.db.query<{ now: Date }>('select now()')).now;
  }

  /** As if so much time had passed: all that is stored is older, and every dispatcher looks for what is due. */
  async pass(ms: number): Promise<void> {
    await this.db.query(
      `update webhook_delivery set created_at = created_at - passed, ended_at = ended_at - passed,
         next_attempt_at = next_attempt_at - passed, lease_until = lease_until - passed
       from (select $1 * interval '1 millisecond' as passed) p`,
      [ms],
    );
    await this.db.query(`update webhook_event set created_at = created_at - $1 * interval '1 millisecond'`, [
      ms,
    ]);
    for (const dispatcher of this.#dispatchers) dispatcher.wake();
  }

  startDispatcher(): Dispatcher {
    const { schedule = defaultScheduleSetting, limits, random = () => 0.5 } = this.#options;
    const dispatcher = new Dispatcher({
      db: this.db,
      clock: this.clock,
      logger: silentLogger,
      secretBox: this.secretBox,
      send: webhookSender(this.egress),
      schedule: parseRetrySchedule(schedule),
      random,
      noteAttempt: ({ settlement: { state } }) => {
        this.attempts[state] = (this.attempts[state] ?? 0) + 1;
      },
      ...(limits ? { limits } : {}),
    });
    this.#dispatchers.push(dispatcher);
    dispatcher.start();
    return dispatcher;
  }

  /** As the service does after a delete: the dispatchers of its own process hear of it. */
  readonly afterRemoval = (subscriptionId: string): void => {
    for (const dispatcher of this.#dispatchers) dispatcher.endReceiver(subscriptionId);
  };

  async stop(): Promise<void> {
    const stopping = this.#dispatchers.splice(0).map((dispatcher) => dispatcher.stop(0));
    await this.clock.advance(1);
    await Promise.all(stopping);
    await this.egress.close();
  }

  async deliveries(): Promise<LoggedDelivery[]> {
    return await deliveryLogStore.list(this.db, { accountId: undefined, limit: 1_000 });
  }

  /** The only delivery, as soon as so many attempts of it are in the log. */
  async deliveryAfter(attempts: number): Promise<LoggedDelivery> {
    return await eventually(async () => {
      const [delivery] = await this.deliveries();
      return delivery && delivery.attempts.length >= attempts && delivery.state !== 'sending'
        ? delivery
        : undefined;
    }, `${attempts} attempts in the log`);
  }
}

export async function openWorld(hooks: Hooks, options: WorldOptions = {}): Promise<WebhookWorld> {
  const db = options.db ?? (await openTestDatabase(hooks));
  const world = new WebhookWorld(db, options);
  onCleanup(hooks, () => world.stop());
  return world;
}
