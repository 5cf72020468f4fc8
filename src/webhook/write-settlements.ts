import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import type { SettledDelivery } from './delivery.ts';
import { deliveryStore } from './delivery-store.ts';
import { subscriptionStore } from './subscription-store.ts';

const writeAttemptsMax = 5;
const writeRetryMs = 1_000;

interface WriterDeps {
  db: Database;
  clock: Clock;
  logger: Logger;
}

/** Stores outcomes. When the database does not take them for seconds they are dropped, and the lease decides. */
export async function writeSettlements(deps: WriterDeps, batch: readonly SettledDelivery[]): Promise<void> {
  const { db, clock, logger } = deps;
  for (let attempt = 1; attempt <= writeAttemptsMax; attempt += 1) {
    try {
      for (const subscriptionId of goneSubscriptions(batch)) await disable(deps, subscriptionId);
      await deliveryStore.settle(db, batch);
      return;
    } catch (error) {
      logger.error({ err: error, deliveries: batch.length, attempt }, 'webhook outcomes could not be stored');
      if (attempt < writeAttemptsMax) await clock.sleep(writeRetryMs);
    }
  }
}

async function disable({ db, logger }: WriterDeps, id: string): Promise<void> {
  if (await subscriptionStore.disable(db, id))
    logger.warn({ subscriptionId: id }, 'webhook subscription disabled: its receiver answered 410');
}

function goneSubscriptions(batch: readonly SettledDelivery[]): Set<string> {
  const gone = batch.filter(({ settlement }) => settlement.state === 'gone');
  return new Set(gone.map(({ delivery }) => delivery.subscriptionId));
}
