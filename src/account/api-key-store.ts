import { onlyRow, type Queryable } from '../platform/database/database.ts';
import { AccountError } from './account.ts';

export interface ApiKey {
  id: string;
  accountId: string;
  name: string;
  createdAt: Date;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  revokedAt: Date | null;
}

interface ApiKeyRow {
  id: string;
  account_id: string;
  name: string;
  created_at: Date;
  last_used_at: Date | null;
  expires_at: Date | null;
  revoked_at: Date | null;
}

const columns = 'id, account_id, name, created_at, last_used_at, expires_at, revoked_at';

export interface NewApiKey {
  accountId: string;
  name: string;
  hash: Buffer;
  expiresAt: Date | null;
}

export const apiKeyStore = {
  async insert(db: Queryable, key: NewApiKey): Promise<ApiKey> {
    const rows = await db.query<ApiKeyRow>(
      `insert into api_key (account_id, name, hash, expires_at) values ($1, $2, $3, $4) returning ${columns}`,
      [key.accountId, key.name, key.hash, key.expiresAt],
    );
    return apiKey(onlyRow(rows));
  },

  /** A key that is already known, even a revoked one, stays as it is. */
  async insertOnce(db: Queryable, key: NewApiKey): Promise<void> {
    await db.query(
      `insert into api_key (account_id, name, hash, expires_at) values ($1, $2, $3, $4)
       on conflict (hash) do nothing`,
      [key.accountId, key.name, key.hash, key.expiresAt],
    );
  },

  async list(db: Queryable, accountId: string): Promise<ApiKey[]> {
    const rows = await db.query<ApiKeyRow>(
      `select ${columns} from api_key where account_id = $1 order by created_at, id`,
      [accountId],
    );
    return rows.map(apiKey);
  },

  async revoke(db: Queryable, id: string): Promise<ApiKey> {
    const [row] = await db.query<ApiKeyRow>(
      `update api_key set revoked_at = coalesce(revoked_at, now()), sealed_key = null
       where id::text = lower($1) returning ${columns}`,
      [id],
    );
    if (!row)
      throw new AccountError(`There is no API key with the id ${id}. "longhand key list" shows them.`);
    return apiKey(row);
  },

  /** Of the account's own; false when there is none. */
  async revokeOwned(db: Queryable, accountId: string, id: string): Promise<boolean> {
    const rows = await db.query(
      `update api_key set revoked_at = coalesce(revoked_at, now()), sealed_key = null
       where id = $1 and account_id = $2 returning id`,
      [id, accountId],
    );
    return rows.length === 1;
  },

  async markUsed(db: Queryable, id: string, at: Date): Promise<void> {
    await db.query(
      'update api_key set last_used_at = greatest(last_used_at, $2), sealed_key = null where id = $1',
      [id, at],
    );
  },

  /** Of these keys, the ones that still open their account. */
  async activeAmong(db: Queryable, ids: readonly string[]): Promise<Set<string>> {
    const rows = await db.query<{ id: string }>(
      `select id from api_key
       where id = any ($1::uuid[]) and revoked_at is null and (expires_at is null or expires_at > now())`,
      [ids],
    );
    return new Set(rows.map(({ id }) => id));
  },

  /** A use, a revocation or a sign-in forgets it. */
  async keepUntilUsed(db: Queryable, hash: Buffer, sealedKey: string): Promise<void> {
    await db.query('update api_key set sealed_key = $2 where hash = $1 and last_used_at is null', [
      hash,
      sealedKey,
    ]);
  },

  /** The key that was kept because nobody has used any of this account's yet. */
  async keptUntilUsed(
    db: Queryable,
    accountId: string,
  ): Promise<{ hash: Buffer; sealedKey: string } | undefined> {
    const [row] = await db.query<{ hash: Buffer; sealed_key: string }>(
      `select hash, sealed_key from api_key
       where account_id = $1 and sealed_key is not null and (expires_at is null or expires_at > now())
         and not exists (select from api_key other where other.account_id = $1 and other.last_used_at is not null)
       limit 1`,
      [accountId],
    );
    return row && { hash: row.hash, sealedKey: row.sealed_key };
  },

  async forgetKept(tx: Queryable, accountId: string): Promise<void> {
    await tx.query('update api_key set sealed_key = null where account_id = $1 and sealed_key is not null', [
      accountId,
    ]);
  },

  async deleteOfAccount(tx: Queryable, accountId: string): Promise<void> {
    await tx.query('delete from api_key where account_id = $1', [accountId]);
  },

  /** Whether the API would take any key at all. */
  async isAnyActive(db: Queryable): Promise<boolean> {
    const rows = await db.query(
      'select 1 from api_key where revoked_at is null and (expires_at is null or expires_at > now()) limit 1',
    );
    return rows.length > 0;
  },
};

function apiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
