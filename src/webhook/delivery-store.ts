/**
 * The pending deliveries of each receiver, and who holds which. Every time is the database's own, so the clocks of
 * the machines that write and send do not matter. `synchronous_commit` is off where a write that a crash of the
 * database server forgets only means that a delivery is sent once more, which receivers must expect anyway.
 */
import { onlyRow, type PreparedQueryable, type Queryable } from '../platform/database/database.ts';
import type { ClaimedDelivery, SettledDelivery } from './delivery.ts';
import type { Grant } from './delivery-slots.ts';
import type { RetrySchedule } from './retry-schedule.ts';

export interface Claim {
  grants: readonly Grant[];
  leaseId: string;
  leaseMs: number;
}

export const deliveryStore = {
  /**
   * Active subscriptions whose next delivery is due, the longest due first, and when one is due after that. Hops from receiver to receiver through
   * the index, so a million pending deliveries cost as much to find as one.
   */
  async dueReceivers(db: Queryable): Promise<{ due: string[]; nextInMs: number | null }> {
    const rows = await db.query<{ due: string[]; nextInMs: number | null }>(
      `with recursive head as (
         (select subscription_id, next_attempt_at from webhook_delivery
          where state = 'pending' order by subscription_id, next_attempt_at limit 1)
         union all
         select next.subscription_id, next.next_attempt_at
         from head cross join lateral (
           select subscription_id, next_attempt_at from webhook_delivery
           where state = 'pending' and subscription_id > head.subscription_id
           order by subscription_id, next_attempt_at limit 1
         ) next
       ), pending as (
         select s.id, next_attempt_at
         from head join webhook_subscription s on s.id = head.subscription_id and s.status = 'active'
       )
       select coalesce(array_agg(id order by next_attempt_at) filter (where next_attempt_at <= now()), '{}') as due,
         extract(epoch from min(next_attempt_at) filter (where next_attempt_at > now()) - now())::float8 * 1000
           as "nextInMs"
       from pending`,
    );
    return onlyRow(rows);
  },

  /**
   * `pending` → `sending` for the longest due deliveries of each receiver, at most so many as it has free slots. The
   * attempt counts from here on: whatever becomes of this process, a receiver is never asked more often than that.
   */
  async claim(db: PreparedQueryable, { grants, leaseId, leaseMs }: Claim): Promise<ClaimedDelivery[]> {
    return await db.prepared<ClaimedDelivery & Record<string, unknown>>(
      'webhook_claim',
      `with head as materialized (
         select first.id
         from unnest($1::uuid[], $2::int[]) as granted (subscription_id, slots)
         join webhook_subscription s on s.id = granted.subscription_id and s.status = 'active'
         cross join lateral (
           select d.id from webhook_delivery d
           where d.subscription_id = granted.subscription_id and d.state = 'pending' and d.next_attempt_at <= now()
           order by d.subscription_id, d.next_attempt_at, d.id limit granted.slots for update skip locked
         ) first
         where set_config('synchronous_commit', 'off', true) is not null
       ), claimed as (
         update webhook_delivery d
         set state = 'sending', next_attempt_at = null, attempts = d.attempts + 1,
             lease_id = $3, lease_until = now() + $4 * interval '1 millisecond'
         -- As an array, because a join would make the planner read the whole table for a handful of rows.
         where d.id = any (array(select id from head))
         returning d.id, d.lease_id, d.subscription_id, d.event_id, d.attempts
       )
       select claimed.id, lease_id as "leaseId", subscription_id as "subscriptionId", event_id as "eventId",
              attempts as attempt, now() as "claimedAt", s.url, s.sealed_secret as "sealedSecret",
              (select body from webhook_event where id = claimed.event_id) as body
       from claimed join webhook_subscription s on s.id = claimed.subscription_id
       order by claimed.id`,
      [
        grants.map(({ subscriptionId }) => subscriptionId),
        grants.map(({ slots }) => slots),
        leaseId,
        leaseMs,
      ],
    );
  },

  /**
   * `sending` → its outcome, with a line in the log. A delivery whose lease another process took over is left alone.
   * A retry for a subscription that was removed or disabled meanwhile becomes `cancelled`; the lock on the
   * subscription orders this against the removal.
   */
  async settle(db: PreparedQueryable, settled: readonly SettledDelivery[]): Promise<void> {
    await db.prepared(
      'webhook_settle',
      `with result as (
         select * from jsonb_to_recordset($1) as r (
           id bigint, lease_id uuid, attempt smallint, subscription_id uuid, state text, delay_ms bigint, log jsonb)
         where set_config('synchronous_commit', 'off', true) is not null
       ), alive as (
         select s.id from webhook_subscription s
         where s.id in (select subscription_id from result where state = 'pending') and s.status = 'active'
         order by s.id for share
       ), decided as (
         select result.id, result.lease_id, attempt, log,
                case when result.state = 'pending' and alive.id is null then 'cancelled' else result.state end as state,
                case when alive.id is not null then now() + delay_ms * interval '1 millisecond' end as next_attempt_at
         from result left join alive on alive.id = result.subscription_id and result.state = 'pending'
       )
       update webhook_delivery d
       set state = decided.state, next_attempt_at = decided.next_attempt_at, lease_id = null, lease_until = null,
           ended_at = case when decided.state <> 'pending' then now() end,
           attempt_log = d.attempt_log || (decided.log || jsonb_build_object(
             'round', d.round, 'number', d.attempts, 'nextAttemptAt', decided.next_attempt_at))
       from decided
       -- Only a delivery that is being sent has a lease.
       where d.id = any ($2::bigint[]) and d.id = decided.id and d.lease_id = decided.lease_id
         and d.attempts = decided.attempt`,
      [JSON.stringify(settled.map(settlementRecord)), settled.map(({ delivery }) => delivery.id)],
    );
  },

  /** `sending` → `pending` without an attempt: nothing was sent. */
  async giveBack(
    db: Queryable,
    { id, leaseId, delayMs }: { id: string; leaseId: string; delayMs: number },
  ): Promise<void> {
    await db.query(
      `with alive as (
         select s.id from webhook_subscription s
         where s.id = (select subscription_id from webhook_delivery where id = $1) and s.status = 'active'
         for share
       )
       update webhook_delivery d
       set state = case when exists (select from alive) then 'pending' else 'cancelled' end,
           next_attempt_at = case when exists (select from alive) then now() + $3 * interval '1 millisecond' end,
           ended_at = case when not exists (select from alive) then now() end,
           attempts = d.attempts - 1, lease_id = null, lease_until = null
       where d.id = $1 and d.lease_id = $2`,
      [id, leaseId, delayMs],
    );
  },

  /**
   * `sending` with an ended lease: its process died, and nobody knows what the receiver saw. The attempt counts as
   * failed, so the next one follows the schedule, or there is none.
   */
  async endInterrupted(
    db: Queryable,
    { schedule, leaseMs }: { schedule: RetrySchedule; leaseMs: number },
  ): Promise<number> {
    const rows = await db.query(
      `update webhook_delivery d
       set state = decided.state,
           next_attempt_at = case when decided.state = 'pending' then decided.next_attempt_at end,
           ended_at = case when decided.state <> 'pending' then now() end,
           lease_id = null, lease_until = null,
           attempt_log = d.attempt_log || jsonb_build_object(
             'round', d.round, 'number', d.attempts, 'startedAt', d.lease_until - $2 * interval '1 millisecond',
             'durationMs', null, 'statusCode', null, 'error', 'interrupted',
             'nextAttemptAt', case when decided.state = 'pending' then decided.next_attempt_at end)
       from (
         select expired.id, next_attempt_at,
                case when s.id is null then 'cancelled' when next_attempt_at is null then 'exhausted' else 'pending'
                end as state
         from (
           select id, subscription_id, now() + ($1::bigint[])[attempts + 1] * interval '1 millisecond' as next_attempt_at
           from webhook_delivery where state = 'sending' and lease_until <= now()
           order by lease_until limit 1000 for update skip locked
         ) expired left join webhook_subscription s on s.id = expired.subscription_id and s.status = 'active'
       ) decided
       where d.id = decided.id
       returning d.id`,
      [schedule.stepsMs.map(Math.round), leaseMs],
    );
    return rows.length;
  },

  /** How many deliveries could go out by now, and how many wait for a later attempt. */
  async pendingCounts(db: Queryable): Promise<{ due: number; later: number }> {
    const rows = await db.query<{ due: number; later: number }>(
      `select (count(*) filter (where next_attempt_at <= now()))::int as due,
              (count(*) filter (where next_attempt_at > now()))::int as later
       from webhook_delivery where state = 'pending'`,
    );
    return onlyRow(rows);
  },
};

function settlementRecord({ delivery, durationMs, outcome, settlement }: SettledDelivery) {
  return {
    id: delivery.id,
    lease_id: delivery.leaseId,
    attempt: delivery.attempt,
    subscription_id: delivery.subscriptionId,
    state: settlement.state === 'retry' ? 'pending' : settlement.state,
    delay_ms: settlement.state === 'retry' ? settlement.delayMs : null,
    log: {
      startedAt: delivery.claimedAt,
      durationMs,
      statusCode: outcome.kind === 'answered' ? outcome.statusCode : null,
      error: outcome.kind === 'failed' ? outcome.error : null,
      ...(outcome.kind === 'answered' && outcome.body !== undefined ? { answer: outcome.body } : {}),
    },
  };
}
