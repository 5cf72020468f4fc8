import { hotQuery, type Queryable } from '../platform/database/database.ts';

export interface UsedDay {
  /** In UTC, as 2026-11-16. */
  day: string;
  transcriptions: number;
}

export const dailyUsageStore = {
  async used(db: Queryable, accountId: string, day: string): Promise<number> {
    const [row] = await hotQuery<{ transcriptions: number }>(
      db,
      'allowance_used',
      'select transcriptions from daily_usage where account_id = $1 and day = $2',
      [accountId, day],
    );
    return row?.transcriptions ?? 0;
  },

  /** Days on which something was created, newest first; of so many days up to this one. */
  async list(
    db: Queryable,
    accountId: string,
    { until, days }: { until: string; days: number },
  ): Promise<UsedDay[]> {
    return await db.query<UsedDay & Record<string, unknown>>(
      `select day::text, transcriptions from daily_usage
       where account_id = $1 and day > $2::date - $3::int order by day desc`,
      [accountId, until, days],
    );
  },

  /** Counts one; false where so many are used already. The row lock makes concurrent creates wait their turn. */
  async take(tx: Queryable, accountId: string, { day, max }: { day: string; max: number }): Promise<boolean> {
    const rows = await hotQuery(
      tx,
      'allowance_take',
      `insert into daily_usage as usage (account_id, day, transcriptions) values ($1, $2, 1)
       on conflict (account_id, day) do update set transcriptions = usage.transcriptions + 1
       where usage.transcriptions < $3
       returning transcriptions`,
      [accountId, day, max],
    );
    return rows.length > 0;
  },

  async giveBack(tx: Queryable, accountId: string, day: string): Promise<void> {
    await tx.query(
      'update daily_usage set transcriptions = greatest(transcriptions - 1, 0) where account_id = $1 and day = $2',
      [accountId, day],
    );
  },
};
