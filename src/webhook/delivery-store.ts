/**
 * The line of each receiver. Two settings of this file are about how much a crash may repeat, never about what it
 * may lose: `synchronous_commit` is off where a write that a power cut forgets only means that a delivery is sent
 * once more, which receivers must expect anyway.
 */
import { onlyRow, type PreparedQueryable, type Queryable } from '../platform/database.ts';
import type { ClaimedDelivery, SettledDelivery } from './delivery.ts';

/** A delivery that this many processes died on is given up: it may be the cause. */
const abandonedMax = 20;

export interface WaitingReceiver {
  subscriptionId: string;
  accountId: string;
}

export const deliveryStore = {
  /**
   * Active subscriptions whose next delivery is due. Hops from receiver to receiver through the index, so a line of
   * a million deliveries costs as much to find as a line of one.
   */
  async dueReceivers(db: Queryable, now: Date): Promise<WaitingReceiver[]> {
    return await db.query<WaitingReceiver & Record<string, unknown>>(
      `with recursive line as (
         (select subscription_id, next_attempt_at from webhook_delivery
          where state = 'pending' order by subscription_id, next_attempt_at limit 1)
         union all
         select next.subscription_id, next.next_attempt_at
         from line cross join lateral (
           select subscription_id, next_attempt_at from webhook_delivery
           where state = 'pending' and subscription_id > line.subscription_id
           order by subscription_id, next_attempt_at limit 1
         ) next
       )
       select s.id as "subscriptionId", s.account_id as "accountId"
       from line join webhook_subscription s on s.id = line.subscription_id and s.status = 'active'
       where line.next_attempt_at <= $1
       order by line.next_attempt_at`,
      [now],
    );
  },

  /** `pending` → `sending` for the head of each named line, at most so many as the receiver has places. */
  async claim(db: PreparedQueryable, claim: Claim): Promise<ClaimedDelivery[]> {
    return await db.prepared<ClaimedDelivery & Record<string, unknown>>(
      'webhook_claim',
      `with head as materialized (
         select first.id
         from unnest($1::uuid[], $2::int[]) as wanted (subscription_id, places)
         join webhook_subscription s on s.id = wanted.subscription_id and s.status = 'active'
         cross join lateral (
           select d.id from webhook_delivery d
           where d.subscription_id = wanted.subscription_id and d.state = 'pending' and d.next_attempt_at <= $3
           order by d.subscription_id, d.next_attempt_at, d.id limit wanted.places for update skip locked
         ) first
         where set_config('synchronous_commit', 'off', true) is not null
       ), claimed as (
         update webhook_delivery d
         set state = 'sending', next_attempt_at = null, lease_id = $4, lease_until = $5
         -- As an array, because a join would make the planner read the whole table for a handful of rows.
         where d.id = any (array(select id from head))
         returning d.id, d.lease_id, d.subscription_id, d.event_id, d.attempts
       )
       select claimed.id, lease_id as "leaseId", subscription_id as "subscriptionId", event_id as "eventId", attempts,
              s.account_id as "accountId", s.url, s.sealed_secret as "sealedSecret",
              (select body from webhook_event where id = claimed.event_id) as body
       from claimed join webhook_subscription s on s.id = claimed.subscription_id
       order by claimed.id`,
      [
        claim.receivers.map((receiver) => receiver.subscriptionId),
        claim.receivers.map((receiver) => receiver.places),
        claim.now,
        claim.leaseId,
        claim.leaseUntil,
      ],
    );
  },

  /**
   * `sending` → its outcome, with a line in the log. A delivery whose lease another process took over is left alone.
   * A retry for a subscription that was removed or disabled meanwhile becomes `cancelled`; the lock on the
   * subscription orders this against the removal. Gives the subscriptions among them that are no longer active: what
   * this process has claimed for them must not be sent.
   */
  async settle(db: PreparedQueryable, settled: readonly SettledDelivery[]): Promise<string[]> {
    const ended = await db.prepared<{ subscriptionId: string }>(
      'webhook_settle',
      `with result as (
         select * from jsonb_to_recordset($1) as r (
           id bigint, lease_id uuid, subscription_id uuid, state text, next_attempt_at timestamptz,
           ended_at timestamptz, attempt jsonb)
         where set_config('synchronous_commit', 'off', true) is not null
       ), alive as (
         select s.id from webhook_subscription s
         where s.id in (select subscription_id from result where state = 'pending') and s.status = 'active'
         order by s.id for share
       ), decided as (
         select result.id, result.lease_id, ended_at, attempt,
                case when result.state = 'pending' and alive.id is null then 'cancelled' else result.state end as state,
                case when alive.id is not null then result.next_attempt_at end as next_attempt_at
         from result left join alive on alive.id = result.subscription_id and result.state = 'pending'
       ), stored as (
       update webhook_delivery d
       set state = decided.state, attempts = d.attempts + 1, next_attempt_at = decided.next_attempt_at,
           lease_id = null, lease_until = null,
           ended_at = case when decided.state <> 'pending' then decided.ended_at end,
           attempt_log = d.attempt_log || (decided.attempt || jsonb_build_object(
             'round', d.round, 'number', d.attempts + 1, 'nextAttemptAt', decided.next_attempt_at))
       from decided
       -- Only a delivery that is being sent has a lease.
       where d.id = any ($2::bigint[]) and d.id = decided.id and d.lease_id = decided.lease_id
       )
       select ended.id as "subscriptionId" from (select distinct subscription_id as id from result) ended
       where not exists (select from webhook_subscription s where s.id = ended.id and s.status = 'active')`,
      [JSON.stringify(settled.map(settlementRecord)), settled.map(({ delivery }) => delivery.id)],
    );
    return ended.map(({ subscriptionId }) => subscriptionId);
  },

  /** How many deliveries wait in the lines, and how many of them could go out by now. */
  async pendingCounts(db: Queryable, now: Date): Promise<{ waiting: number; due: number }> {
    const rows = await db.query<{ waiting: number; due: number }>(
      `select count(*)::int as waiting, (count(*) filter (where next_attempt_at <= $1))::int as due
       from webhook_delivery where state = 'pending'`,
      [now],
    );
    return onlyRow(rows);
  },

  /** `sending` → `pending` without an attempt: the process stops, or did not get to send it. */
  async giveBack(
    db: Queryable,
    { deliveries, now }: { deliveries: readonly GivenBack[]; now: Date },
  ): Promise<void> {
    const ids = deliveries.map(({ id }) => id);
    await db.query(
      `with alive as (
         select s.id from webhook_subscription s
         where s.id in (select subscription_id from webhook_delivery where id = any ($1::bigint[]))
           and s.status = 'active'
         order by s.id for share
       )
       update webhook_delivery d
       set state = case when d.subscription_id in (select id from alive) then 'pending' else 'cancelled' end,
           next_attempt_at = case when d.subscription_id in (select id from alive) then back.next_attempt_at end,
           ended_at = case when d.subscription_id not in (select id from alive) then $4::timestamptz end,
           lease_id = null, lease_until = null
       from unnest($1::bigint[], $2::uuid[], $3::timestamptz[]) as back (id, lease_id, next_attempt_at)
       where d.id = any ($1::bigint[]) and d.id = back.id and d.lease_id = back.lease_id`,
      [
        ids,
        deliveries.map(({ leaseId }) => leaseId),
        deliveries.map(({ nextAttemptAt }) => nextAttemptAt),
        now,
      ],
    );
  },

  /** `sending` with an ended lease → `pending`: its process died, and nobody knows what the receiver saw. */
  async reclaimAbandoned(db: Queryable, now: Date): Promise<number> {
    const rows = await db.query(
      `update webhook_delivery d
       set state = case when d.abandoned >= $2 then 'exhausted' when not alive then 'cancelled' else 'pending' end,
           next_attempt_at = case when d.abandoned < $2 and alive then $1::timestamptz end,
           ended_at = case when d.abandoned >= $2 or not alive then $1::timestamptz end,
           abandoned = d.abandoned + 1, lease_id = null, lease_until = null
       from (
         select id, exists (
           select from webhook_subscription s where s.id = subscription_id and s.status = 'active') as alive
         from webhook_delivery where state = 'sending' and lease_until <= $1
         order by lease_until limit 1000 for update skip locked
       ) expired
       where d.id = expired.id
       returning d.id`,
      [now, abandonedMax],
    );
    return rows.length;
  },
};

export interface Claim {
  receivers: readonly { subscriptionId: string; places: number }[];
  now: Date;
  leaseId: string;
  leaseUntil: Date;
}

function settlementRecord({ delivery, startedAt, durationMs, outcome, settlement }: SettledDelivery) {
  return {
    id: delivery.id,
    lease_id: delivery.leaseId,
    subscription_id: delivery.subscriptionId,
    state: settlement.state === 'retry' ? 'pending' : settlement.state,
    next_attempt_at: settlement.state === 'retry' ? settlement.nextAttemptAt : null,
    ended_at: new Date(startedAt.getTime() + durationMs),
    attempt: {
      startedAt,
      durationMs,
      statusCode: outcome.kind === 'answered' ? outcome.statusCode : null,
      error: outcome.kind === 'failed' ? outcome.error : null,
    },
  };
}

export interface GivenBack {
  id: string;
  leaseId: string;
  nextAttemptAt: Date;
}
