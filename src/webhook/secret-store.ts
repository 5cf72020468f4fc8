import type { Queryable } from '../platform/database/database.ts';

export interface SealedSecret {
  subscriptionId: string;
  sealedSecret: string;
}

export interface KeyUse extends SealedSecret {
  keyId: string;
  subscriptions: number;
}

export const secretStore = {
  /** Each key that active subscriptions are sealed with, how many, and one of them as a sample. */
  async keyUses(db: Queryable): Promise<KeyUse[]> {
    return await db.query<KeyUse & Record<string, unknown>>(
      `select distinct on ("keyId") split_part(sealed_secret, '.', 2) as "keyId",
              id as "subscriptionId", sealed_secret as "sealedSecret",
              (count(*) over (partition by split_part(sealed_secret, '.', 2)))::int as subscriptions
       from webhook_subscription where status = 'active'
       order by "keyId", id`,
    );
  },

  async sealedByOthers(db: Queryable, keyId: string): Promise<SealedSecret[]> {
    return await db.query<SealedSecret & Record<string, unknown>>(
      `select id as "subscriptionId", sealed_secret as "sealedSecret" from webhook_subscription
       where split_part(sealed_secret, '.', 2) <> $1 order by id`,
      [keyId],
    );
  },

  /** Replaces a sealed text by another of the same secret, unless it has changed meanwhile. */
  async replace(
    db: Queryable,
    { subscriptionId, sealedSecret, resealed }: SealedSecret & { resealed: string },
  ): Promise<boolean> {
    const rows = await db.query(
      'update webhook_subscription set sealed_secret = $3 where id = $1 and sealed_secret = $2 returning id',
      [subscriptionId, sealedSecret, resealed],
    );
    return rows.length > 0;
  },
};
