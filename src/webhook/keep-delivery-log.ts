import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { deliveryLogStore } from './delivery-log-store.ts';

const sweepEveryMs = 3_600_000;

/** Keeps the log for its days. Returns the function that ends the keeping. */
export function keepDeliveryLog({
  db,
  clock,
  logger,
  logDays,
}: {
  db: Database;
  clock: Clock;
  logger: Logger;
  logDays: number;
}): () => void {
  const sweep = async () => {
    try {
      const swept = await deliveryLogStore.sweep(db, logDays);
      if (swept.events > 0) logger.info(swept, 'old webhook deliveries forgotten');
    } catch (error) {
      logger.error({ err: error }, 'old webhook deliveries could not be forgotten');
    }
  };
  void sweep();
  return clock.every(sweepEveryMs, () => void sweep());
}
