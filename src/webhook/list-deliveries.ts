import type { Principal } from '../account/principal.ts';
import type { Database } from '../platform/database/database.ts';
import { type DeliveryFilter, deliveryLogStore, type LoggedDelivery } from './delivery-log-store.ts';

const listMax = 1_000;

/** The account's own, newest first. */
export async function listDeliveries(
  deps: { db: Database },
  { account }: Principal,
  filter: { subscriptionId?: string | undefined; limit: number },
): Promise<LoggedDelivery[]> {
  return await listDeliveriesAsOperator(deps, { ...filter, accountId: account.id });
}

/** Of every account, unless the filter names one. */
export async function listDeliveriesAsOperator(
  { db }: { db: Database },
  filter: DeliveryFilter,
): Promise<LoggedDelivery[]> {
  return await deliveryLogStore.list(db, { ...filter, limit: Math.min(filter.limit, listMax) });
}
