/** What operators and owners see of deliveries, and what they can do about them. */
import { randomUUID } from 'node:crypto';
import { ApiError } from '../contract/errors.ts';
import { eventBody } from '../contract/webhook.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { deliveryLogStore, type LoggedDelivery } from './delivery-log-store.ts';
import { eventStore } from './event-store.ts';
import { resourceUrl } from './record-terminal-event.ts';
import { subscriptionStore } from './subscription-store.ts';

const listMax = 1_000;
const sweepEveryMs = 3_600_000;

export async function listDeliveries(
  { db }: { db: Database },
  filter: { accountId?: string | undefined; subscriptionId?: string | undefined; limit: number },
): Promise<LoggedDelivery[]> {
  return await deliveryLogStore.list(db, { ...filter, limit: Math.min(filter.limit, listMax) });
}

/** Sends an ended delivery again: the same event id and body, a new round of attempts. */
export async function replayDelivery(
  { db }: { db: Database },
  { deliveryId, accountId }: { deliveryId: string; accountId?: string },
): Promise<void> {
  const isId = /^\d{1,18}$/.test(deliveryId);
  if (!isId || !(await deliveryLogStore.restart(db, { deliveryId, accountId }))) {
    throw new ApiError('not_found');
  }
}

/**
 * A real delivery of an invented event, so that a receiver can be tried. It has a type that the subscription chose,
 * because receivers refuse any other; its job does not exist.
 */
export async function sendTestEvent(
  { db, publicUrl }: { db: Database; publicUrl: string },
  { subscriptionId, accountId }: { subscriptionId: string; accountId?: string },
): Promise<{ eventId: string }> {
  const subscription = await subscriptionStore.find(db, subscriptionId);
  const isOwned = accountId === undefined || subscription?.accountId === accountId;
  const [type] = subscription?.events ?? [];
  if (!subscription || !isOwned || subscription.status !== 'active' || !type) throw new ApiError('not_found');
  const id = randomUUID();
  const transcriptionId = randomUUID();
  await db.transaction(async (tx) => {
    const body = eventBody({
      id,
      type,
      createdAt: await eventStore.now(tx),
      transcriptionId,
      filename: 'webhook-test.mp3',
      durationSeconds: type === 'transcription.completed' ? 60 : null,
      resourceUrl: resourceUrl(publicUrl, transcriptionId),
    });
    const { accountId: owner } = subscription;
    await eventStore.add(tx, { id, accountId: owner, transcriptionId: null, type, body });
    const receivers = [{ subscriptionId, url: subscription.url }];
    await eventStore.addDeliveries(tx, { eventId: id, receivers, firstDelayMs: 0 });
  });
  return { eventId: id };
}

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
