import type { Queryable } from '../platform/database/database.ts';
import type { StorageId } from '../storage/object-store.ts';

/** Bytes to be erased: an object's key, or a prefix that ends with a slash. */
export interface ErasureTarget {
  storage: StorageId;
  target: string;
}

const batchSize = 500;

export const erasureStore = {
  async add(tx: Queryable, targets: readonly (ErasureTarget & { until: Date })[]): Promise<void> {
    await tx.query(
      `insert into erasure (storage, target, until)
       select storage, target, max(until)
       from unnest($1::text[], $2::text[], $3::timestamptz[]) as wanted (storage, target, until)
       group by storage, target
       on conflict (storage, target) do update
       set until = greatest(erasure.until, excluded.until), erased_at = null`,
      [
        targets.map(({ storage }) => storage),
        targets.map(({ target }) => target),
        targets.map(({ until }) => until),
      ],
    );
  },

  /** What was never erased, or may have received bytes since. */
  async due(db: Queryable, storage: StorageId, now: Date): Promise<ErasureTarget[]> {
    return await db.query<ErasureTarget & Record<string, unknown>>(
      `select storage, target from erasure
       where storage = $1 and (erased_at is null or until <= $2)
       order by until limit ${batchSize}`,
      [storage, now],
    );
  },

  /** The bytes are gone; `began` is when their removal began. Forgotten as soon as none can follow. */
  async markErased(db: Queryable, { storage, target }: ErasureTarget, began: Date): Promise<void> {
    const values = [storage, target, began];
    const rows = await db.query(
      'delete from erasure where storage = $1 and target = $2 and until <= $3 returning target',
      values,
    );
    if (rows.length > 0) return;
    await db.query('update erasure set erased_at = $3 where storage = $1 and target = $2', values);
  },

  /**
   * The last step of an account's erasure. False when a request that was under way has left something behind
   * meanwhile: the lock keeps any further one from doing so.
   */
  async deleteEmptiedAccount(tx: Queryable, accountId: string): Promise<boolean> {
    await tx.query('select 1 from account where id = $1 and deleted_at is not null for update', [accountId]);
    const left = await tx.query(
      `select 1 where exists (select from transcription where account_id = $1)
         or exists (select from upload where account_id = $1)`,
      [accountId],
    );
    if (left.length > 0) return false;
    await tx.query('delete from account where id = $1 and deleted_at is not null', [accountId]);
    return true;
  },
};
