import { ApiError } from '../contract/errors.ts';
import type { Queryable } from '../platform/database/database.ts';
import { apiKeyStore } from './api-key-store.ts';
import type { Principal } from './principal.ts';

/** It stops at the next request. Another account's key and an unknown id look the same: not found. */
export async function revokeApiKey(
  { db }: { db: Queryable },
  { account }: Principal,
  id: string,
): Promise<void> {
  if (!(await apiKeyStore.revokeOwned(db, account.id, id))) throw new ApiError('not_found');
}
