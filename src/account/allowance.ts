import { ApiError } from '../contract/errors.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { Account } from './account.ts';
import { dailyUsageStore, type UsedDay } from './daily-usage-store.ts';

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
    return await dailyUsageStore.used(db, accountId, this.today());
  }

  /** Days on which something was created, newest first; of the last so many days. */
  async usedOn(db: Queryable, accountId: string, { days }: { days: number }): Promise<UsedDay[]> {
    return await dailyUsageStore.list(db, accountId, { until: this.today(), days });
  }

  /** Counts one, in the transaction that creates the job. */
  async take(tx: Queryable, account: Account, day = this.today()): Promise<{ day: string }> {
    const max = account.plan.dailyTranscriptionsMax;
    if (!(await dailyUsageStore.take(tx, account.id, { day, max }))) throw this.#exhausted();
    return { day };
  }

  /** A job that failed through our own fault costs nothing. */
  async giveBack(tx: Queryable, accountId: string, day: string): Promise<void> {
    await dailyUsageStore.giveBack(tx, accountId, day);
  }

  today(): string {
    return this.#clock.date().toISOString().slice(0, 10);
  }

  #exhausted(): ApiError {
    const secondsToMidnight = Math.ceil((dayMs - (this.#clock.now() % dayMs)) / 1000);
    return new ApiError('daily_limit_reached', { headers: { 'retry-after': String(secondsToMidnight) } });
  }
}
