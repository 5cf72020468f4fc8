import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import { hotQuery, type Queryable } from '../platform/database/database.ts';
import type { Account } from './account.ts';

const dayMs = 86_400_000;

/** How many transcriptions an account may still create today (UTC). */
export class Allowance {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** For a look ahead of time; counts nothing. */
  async assertLeft(db: Queryable, account: Account): Promise<void> {
    if ((await this.usedToday(db, account.id)) >= account.plan.dailyTranscriptionsMax)
      throw this.#exhausted();
  }

  async usedToday(db: Queryable, accountId: string): Promise<number> {
    const [row] = await hotQuery<{ transcriptions: number }>(
      db,
      'allowance_used',
      'select transcriptions from daily_usage where account_id = $1 and day = $2',
      [accountId, this.today()],
    );
    return row?.transcriptions ?? 0;
  }

  /** Days on which something was created, newest first; of the last so many days. */
  async usedOn(
    db: Queryable,
    accountId: string,
    { days }: { days: number },
  ): Promise<{ day: string; transcriptions: number }[]> {
    return await db.query<{ day: string; transcriptions: number }>(
      `select day::text, transcriptions from daily_usage
       where account_id = $1 and day > $2::date - $3::int order by day desc`,
      [accountId, this.today(), days],
    );
  }

  /** Counts one, in the transaction that creates the job. The row lock makes concurrent creates wait their turn. */
  async take(tx: Queryable, account: Account, day = this.today()): Promise<{ day: string }> {
    const rows = await hotQuery(
      tx,
      'allowance_take',
      `insert into daily_usage as usage (account_id, day, transcriptions) values ($1, $2, 1)
       on conflict (account_id, day) do update set transcriptions = usage.transcriptions + 1
       where usage.transcriptions < $3
       returning transcriptions`,
      [account.id, day, account.plan.dailyTranscriptionsMax],
    );
    if (rows.length === 0) throw this.#exhausted();
    return { day };
  }

  /** A job that failed through our own fault costs nothing. */
  async giveBack(tx: Queryable, accountId: string, day: string): Promise<void> {
    await tx.query(
      'update daily_usage set transcriptions = greatest(transcriptions - 1, 0) where account_id = $1 and day = $2',
      [accountId, day],
    );
  }

  today(): string {
    return this.#clock.date().toISOString().slice(0, 10);
  }

  #exhausted(): ApiError {
    const secondsToMidnight = Math.ceil((dayMs - (this.#clock.now() % dayMs)) / 1000);
    return new ApiError('daily_limit_reached', { headers: { 'retry-after': String(secondsToMidnight) } });
  }
}
