import type { Queryable } from '../platform/database/database.ts';
import type { Account } from './account.ts';
import { apiKeyHash, generateApiKey } from './api-key.ts';
import { type ApiKey, apiKeyStore } from './api-key-store.ts';

export interface CreatedApiKey extends ApiKey {
  /** Shown once; only its hash is stored. */
  key: string;
}

export async function createApiKey(
  db: Queryable,
  { account, name, expiresAt }: { account: Account; name: string; expiresAt: Date | null },
): Promise<CreatedApiKey> {
  const key = generateApiKey();
  const stored = await apiKeyStore.insert(db, {
    accountId: account.id,
    name,
    hash: apiKeyHash(key),
    expiresAt,
  });
  return { ...stored, key };
}
