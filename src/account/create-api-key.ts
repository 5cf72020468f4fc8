import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import { apiKeyHash, generateApiKey } from './api-key.ts';
import { type ApiKey, apiKeyStore } from './api-key-store.ts';
import { isActiveKey } from './is-active-key.ts';
import type { Principal } from './principal.ts';

export interface CreateApiKeyDeps {
  db: Queryable;
  clock: Clock;
}

export interface CreateApiKeyCommand {
  name: string;
  /** Null: until it is revoked. */
  validMs: number | null;
}

export interface CreatedApiKey extends ApiKey {
  /** Shown once; only its hash is stored. */
  key: string;
}

/** The operator may give an account more than it makes for itself. */
const activeKeysMax = 100;

export async function createApiKey(
  { db, clock }: CreateApiKeyDeps,
  { account, credential }: Principal,
  { name, validMs }: CreateApiKeyCommand,
): Promise<CreatedApiKey> {
  const nowMs = clock.now();
  const keys = credential.kind === 'operator' ? [] : await apiKeyStore.list(db, account.id);
  if (keys.filter((key) => isActiveKey(key, nowMs)).length >= activeKeysMax)
    throw new ApiError('invalid_web_request', {
      message: `An account has at most ${activeKeysMax} active keys. Revoke one first.`,
    });
  const key = generateApiKey();
  const stored = await apiKeyStore.insert(db, {
    accountId: account.id,
    name,
    hash: apiKeyHash(key),
    expiresAt: validMs === null ? null : new Date(nowMs + validMs),
  });
  return { ...stored, key };
}
