import { onlyRow, type PreparedQueryable } from '../platform/database/database.ts';
import { periodSeconds, type RequestCounts, type TakenRequests } from './rate-limit.ts';

export const requestRateStore = {
  /** Counts requests of an account in its current minute, or begins a new one, and gives what was counted until now. */
  async take(db: PreparedQueryable, accountId: string, wanted: RequestCounts): Promise<TakenRequests> {
    const rows = await db.prepared<{ requests: number; creates: number; left_ms: number }>(
      'request_rate_take',
      `insert into request_rate as rate (account_id, requests, creates) values ($1, $2, $3)
       on conflict (account_id) do update
       set started_at = case when ${hasEnded} then now() else rate.started_at end,
           requests = case when ${hasEnded} then 0 else rate.requests end + excluded.requests,
           creates = case when ${hasEnded} then 0 else rate.creates end + excluded.creates
       returning requests, creates,
         extract(epoch from started_at + interval '${periodSeconds} s' - now())::float8 * 1000 as left_ms`,
      [accountId, wanted.request, wanted.create],
    );
    const { requests, creates, left_ms: endsInMs } = onlyRow(rows);
    return { counted: { request: requests, create: creates }, endsInMs };
  },
};

const hasEnded = `rate.started_at <= now() - interval '${periodSeconds} s'`;
