import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database.ts';
import type { Logger } from '../platform/telemetry.ts';
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
export async function writeSettlements(
  options: WriterDeps,
  batch: readonly SettledDelivery[],
): Promise<{ endedReceivers: string[] }> {
  const { db, clock, logger } = options;
  for (let attempt = 1; attempt <= writeAttemptsMax; attempt += 1) {
    try {
      for (const subscriptionId of goneSubscriptions(batch)) await disable(options, subscriptionId);
      return { endedReceivers: await deliveryStore.settle(db, batch) };
    } catch (error) {
      logger.error({ err: error, deliveries: batch.length, attempt }, 'webhook outcomes could not be stored');
      if (attempt < writeAttemptsMax) await clock.sleep(writeRetryMs);
    }
  }
  return { endedReceivers: [] };
}

async function disable({ db, clock, logger }: WriterDeps, id: string): Promise<void> {
  const disabled = await subscriptionStore.disable(db, { id, now: clock.date() });
  if (disabled)
    logger.warn({ subscriptionId: id }, 'webhook subscription disabled: its receiver answered 410');
}

function goneSubscriptions(batch: readonly SettledDelivery[]): Set<string> {
  const gone = batch.filter(({ settlement }) => settlement.state === 'gone');
  return new Set(gone.map(({ delivery }) => delivery.subscriptionId));
}
