import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { Database } from '../platform/database/database.ts';
import { subscriptionStore } from './subscription-store.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export interface DeleteSubscriptionDeps {
  db: Database;
  /** For the deliveries that this process holds. */
  afterRemoval(subscriptionId: string): void;
}

/** Another account's subscription, an unknown id and a text that is no id look the same: not found. */
export async function deleteSubscription(
  { db, afterRemoval }: DeleteSubscriptionDeps,
  { account }: Principal,
  id: string,
): Promise<void> {
  const removed = uuidPattern.test(id) && (await subscriptionStore.remove(db, { id, accountId: account.id }));
  if (!removed) throw new ApiError('not_found');
  afterRemoval(id.toLowerCase());
}
