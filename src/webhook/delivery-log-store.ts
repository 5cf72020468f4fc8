import type { EventType } from '../contract/webhook.ts';
import type { Queryable } from '../platform/database/database.ts';

export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'exhausted' | 'gone' | 'cancelled';

export interface LoggedAttempt {
  round: number;
  number: number;
  startedAt: string;
  /** Null for an attempt whose process died. */
  durationMs: number | null;
  statusCode: number | null;
  error: string | null;
  /** The beginning of the receiver's answer; absent where it was empty. */
  answer?: string;
  nextAttemptAt: string | null;
}

export interface LoggedDelivery {
  id: string;
  eventId: string;
  type: EventType;
  transcriptionId: string | null;
  subscriptionId: string;
  receiver: string;
  /** The exact text that is sent. */
  body: string;
  state: DeliveryState;
  createdAt: Date;
  nextAttemptAt: Date | null;
  endedAt: Date | null;
  /** In the order of time. */
  attempts: LoggedAttempt[];
}

export interface DeliveryFilter {
  /** Undefined: of every account, for the operator. */
  accountId: string | undefined;
  subscriptionId?: string | undefined;
  limit: number;
}

export const deliveryLogStore = {
  /** Newest first. */
  async list(db: Queryable, filter: DeliveryFilter): Promise<LoggedDelivery[]> {
    return await db.query<LoggedDelivery & Record<string, unknown>>(
      `select d.id, d.event_id as "eventId", e.type, e.transcription_id as "transcriptionId",
              d.subscription_id as "subscriptionId", d.receiver, e.body, d.state, d.created_at as "createdAt",
              d.next_attempt_at as "nextAttemptAt", d.ended_at as "endedAt",
              d.attempt_log as attempts
       from webhook_delivery d join webhook_event e on e.id = d.event_id
       where ($1::uuid is null or e.account_id = $1)
         and ($2::uuid is null or d.subscription_id = $2)
       order by d.id desc limit $3`,
      [filter.accountId ?? null, filter.subscriptionId ?? null, filter.limit],
    );
  },

  /**
   * An ended delivery → `pending` in a new round, with all its attempts before it. Only while the subscription is
   * active; its lock orders this against a removal.
   */
  async restart(
    db: Queryable,
    { deliveryId, accountId }: { deliveryId: string; accountId: string | undefined },
  ): Promise<boolean> {
    const rows = await db.query(
      `with alive as (
         select s.id from webhook_subscription s
         where s.id = (select subscription_id from webhook_delivery where id = $1)
           and s.status = 'active' and ($2::uuid is null or s.account_id = $2)
         for share
       )
       update webhook_delivery d
       set state = 'pending', next_attempt_at = now(), ended_at = null, round = d.round + 1, attempts = 0
       from alive
       where d.id = $1 and d.subscription_id = alive.id and d.state in ('delivered', 'exhausted', 'gone', 'cancelled')
       returning d.id`,
      [deliveryId, accountId ?? null],
    );
    return rows.length > 0;
  },

  /** Forgets events of so many days ago that nobody waits for, and cancels what waits for a removed subscription. */
  async sweep(db: Queryable, days: number): Promise<{ events: number }> {
    await db.query(
      `update webhook_delivery d set state = 'cancelled', next_attempt_at = null, ended_at = now()
       where d.state = 'pending'
         and not exists (select from webhook_subscription s where s.id = d.subscription_id and s.status = 'active')`,
    );
    const events = await db.query(
      `delete from webhook_event e using (select now() - $1 * interval '1 day' as before) kept
       where e.created_at < before
         and not exists (
           select from webhook_delivery d where d.event_id = e.id and (d.ended_at is null or d.ended_at >= before))
       returning id`,
      [days],
    );
    return { events: events.length };
  },
};
