import type { Queryable } from '../platform/database/database.ts';

export const signInTokenStore = {
  async insert(
    tx: Queryable,
    token: { tokenHash: Buffer; accountId: string; at: Date; expiresAt: Date },
  ): Promise<void> {
    await tx.query('delete from sign_in_token where expires_at <= $1', [token.at]);
    await tx.query(
      'insert into sign_in_token (token_hash, account_id, created_at, expires_at) values ($1, $2, $3, $4)',
      [token.tokenHash, token.accountId, token.at, token.expiresAt],
    );
  },

  /** Gives the account that it opens, once. */
  async redeem(tx: Queryable, tokenHash: Buffer, at: Date): Promise<string | undefined> {
    const [row] = await tx.query<{ account_id: string }>(
      'delete from sign_in_token where token_hash = $1 and expires_at > $2 returning account_id',
      [tokenHash, at],
    );
    return row?.account_id;
  },
};
