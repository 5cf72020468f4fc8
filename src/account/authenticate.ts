import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { BatchLoader } from '../platform/database/batch-loader.ts';
import type { PreparedQueryable, Queryable } from '../platform/database/database.ts';
import type { AccountStore, KeyOwner, KeyState } from './account-store.ts';
import { apiKeyHash, hasApiKeyShape, hasValidChecksum } from './api-key.ts';
import { apiKeyStore } from './api-key-store.ts';
import { isActiveKey } from './is-active-key.ts';
import type { Principal, Protocol } from './principal.ts';

/** A key's last use is written at most this often, so that reading stays cheap. */
const lastUsedResolutionMs = 60_000;

export interface AuthenticatorDeps {
  db: Queryable & PreparedQueryable;
  accounts: AccountStore;
  clock: Clock;
  /** A key set by the operator (LONGHAND_API_KEY): it may lack our checksum. */
  operatorKey?: string | undefined;
}

/** Turns the Authorization header into the principal whose key it is, or refuses. */
export class Authenticator {
  readonly #deps: AuthenticatorDeps;
  /** Keys whose use is being written: many requests at once would wait for each other's write of the same row. */
  readonly #noting = new Set<string>();
  readonly #owners: BatchLoader<string, KeyOwner>;

  constructor(deps: AuthenticatorDeps) {
    this.#deps = deps;
    this.#owners = new BatchLoader((hashes) => deps.accounts.ofKeys(deps.db, hashes));
  }

  async authenticate(authorization: string | undefined, protocol: Protocol): Promise<Principal> {
    const key = bearerToken(authorization);
    if (!this.#isPlausible(key)) throw refusal('invalid_api_key');
    const found = await this.#owners.load(apiKeyHash(key).toString('hex'));
    if (!found || !isActiveKey(found.key, this.#deps.clock.now())) throw refusal('invalid_api_key');
    await this.#noteUse(found.key);
    return { account: found.account, credential: { kind: 'key', id: found.key.id }, protocol };
  }

  #isPlausible(key: string): boolean {
    return hasValidChecksum(key) || (hasApiKeyShape(key) && key === this.#deps.operatorKey);
  }

  async #noteUse(key: KeyState): Promise<void> {
    const now = this.#deps.clock.date();
    const lastUsedMs = key.lastUsedAt?.getTime() ?? 0;
    if (now.getTime() - lastUsedMs < lastUsedResolutionMs || this.#noting.has(key.id)) return;
    this.#noting.add(key.id);
    try {
      await apiKeyStore.markUsed(this.#deps.db, key.id, now);
    } finally {
      this.#noting.delete(key.id);
    }
  }
}

/** RFC 6750: the scheme is case-insensitive. Another scheme, or none, means that no bearer key was sent. */
function bearerToken(authorization: string | undefined): string {
  const match = /^Bearer(?: +(.*))?$/i.exec(authorization?.trim() ?? '');
  const token = match?.[1]?.trim();
  if (!token) throw refusal('missing_api_key');
  return token;
}

function refusal(code: 'missing_api_key' | 'invalid_api_key'): ApiError {
  return new ApiError(code, { headers: { 'www-authenticate': 'Bearer' } });
}
