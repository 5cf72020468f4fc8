/** Sends an ended delivery again: the same event id and body, a new round of attempts. */
import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { deliveryLogStore } from './delivery-log-store.ts';

export async function replayDelivery(
  { db }: { db: Database },
  { account }: Principal,
  deliveryId: string,
): Promise<void> {
  await restart(db, { deliveryId, accountId: account.id });
}

/** Of any account. */
export async function replayDeliveryAsOperator({ db }: { db: Database }, deliveryId: string): Promise<void> {
  await restart(db, { deliveryId, accountId: undefined });
}

async function restart(
  db: Database,
  delivery: { deliveryId: string; accountId: string | undefined },
): Promise<void> {
  const isId = /^\d{1,18}$/.test(delivery.deliveryId);
  if (!isId || !(await deliveryLogStore.restart(db, delivery))) throw new ApiError('not_found');
}
