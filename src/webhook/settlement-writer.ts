import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database.ts';
import type { Logger } from '../platform/telemetry.ts';
import type { SettledDelivery } from './delivery.ts';
import { storeSettlements } from './delivery-store.ts';
import { disableSubscription } from './subscription-store.ts';

const writeAttemptsMax = 5;
const writeRetryMs = 1_000;

interface WaitingSettlement {
  settled: SettledDelivery;
  done: () => void;
}

/**
 * Stores outcomes in batches of whatever came in while the batch before was being written: a lone outcome is
 * stored at once, a crowd shares one statement.
 */
export class SettlementWriter {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #waiting: WaitingSettlement[] = [];
  #writing = false;

  constructor({ database, clock, logger }: { database: Database; clock: Clock; logger: Logger }) {
    this.#database = database;
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Resolves when the outcome is stored, or when storing it was given up and the lease will decide. */
  async write(settled: SettledDelivery): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ settled, done: resolve });
    if (!this.#writing) void this.#writeAll();
    await promise;
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      await this.#writeBatch(batch.map((item) => item.settled));
      for (const item of batch) item.done();
    }
    this.#writing = false;
  }

  async #writeBatch(batch: readonly SettledDelivery[]): Promise<void> {
    for (let attempt = 1; attempt <= writeAttemptsMax; attempt += 1) {
      try {
        for (const subscriptionId of goneSubscriptions(batch)) await this.#disable(subscriptionId);
        await storeSettlements(this.#database, batch);
        return;
      } catch (error) {
        this.#logger.error(
          { err: error, deliveries: batch.length, attempt },
          'webhook outcomes could not be stored',
        );
        if (attempt < writeAttemptsMax) await this.#clock.sleep(writeRetryMs);
      }
    }
  }

  async #disable(id: string): Promise<void> {
    const disabled = await disableSubscription(this.#database, { id, now: this.#clock.date() });
    if (disabled)
      this.#logger.warn({ subscriptionId: id }, 'webhook subscription disabled: its receiver answered 410');
  }
}

function goneSubscriptions(batch: readonly SettledDelivery[]): Set<string> {
  const gone = batch.filter(({ settlement }) => settlement.state === 'gone');
  return new Set(gone.map(({ delivery }) => delivery.subscriptionId));
}
