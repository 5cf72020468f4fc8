import { activeSubscriptionsMax, type EventType, type Subscription } from '../contract/webhook.ts';
import { type Database, onlyRow, type Queryable } from '../platform/database/database.ts';

interface SubscriptionRow {
  id: string;
  account_id: string;
  url: string;
  events: EventType[];
  status: 'active' | 'disabled';
  created_at: Date;
  disabled_at: Date | null;
}

const subscriptionColumns = 'id, account_id, url, events, status, created_at, disabled_at';

export interface NewSubscription {
  id: string;
  accountId: string;
  url: string;
  events: readonly EventType[];
  sealedSecret: string;
}

export const subscriptionStore = {
  /** Adds an active subscription, or gives undefined when the account has as many as it may have. */
  async add(db: Database, subscription: NewSubscription): Promise<Subscription | undefined> {
    return await db.transaction(async (tx) => {
      // The account row is the gate: creates of one account pass one at a time, so each counts the ones before it.
      await tx.query('select 1 from account where id = $1 for no key update', [subscription.accountId]);
      const counted = await tx.query<{ active: number }>(
        `select count(*)::int as active from webhook_subscription where account_id = $1 and status = 'active'`,
        [subscription.accountId],
      );
      if (onlyRow(counted).active >= activeSubscriptionsMax) return undefined;
      const rows = await tx.query<SubscriptionRow>(
        `insert into webhook_subscription (id, account_id, url, events, status, sealed_secret, created_at)
         values ($1, $2, $3, $4, 'active', $5, now())
         returning ${subscriptionColumns}`,
        [
          subscription.id,
          subscription.accountId,
          subscription.url,
          subscription.events,
          subscription.sealedSecret,
        ],
      );
      return toSubscription(onlyRow(rows));
    });
  },

  /** Newest first. Without an account: all of them, for the operator. */
  async list(db: Queryable, accountId: string | undefined): Promise<Subscription[]> {
    const rows = await db.query<SubscriptionRow>(
      `select ${subscriptionColumns} from webhook_subscription
       where $1::uuid is null or account_id = $1
       order by position desc`,
      [accountId ?? null],
    );
    return rows.map(toSubscription);
  },

  async find(db: Queryable, id: string): Promise<Subscription | undefined> {
    const rows = await db.query<SubscriptionRow>(
      `select ${subscriptionColumns} from webhook_subscription where id = $1`,
      [id],
    );
    return rows[0] && toSubscription(rows[0]);
  },

  /**
   * Removes an owned subscription and cancels what waits for it. The subscription goes first: its row lock waits
   * for every transaction that is just adding a delivery, so the cancel sees them all.
   */
  async remove(db: Database, { id, accountId }: { id: string; accountId: string }): Promise<boolean> {
    return await db.transaction(async (tx) => {
      const removed = await tx.query(
        'delete from webhook_subscription where id = $1 and account_id = $2 returning id',
        [id, accountId],
      );
      if (removed.length === 0) return false;
      await cancelPending(tx, id);
      return true;
    });
  },

  /** With what waits for them: the account goes, and nobody is told any more. */
  async deleteOfAccount(tx: Queryable, accountId: string): Promise<void> {
    await tx.query('delete from webhook_subscription where account_id = $1', [accountId]);
    await tx.query('delete from webhook_event where account_id = $1', [accountId]);
  },

  /** The receiver is gone: `active` becomes `disabled`, and nothing waits for it any more. */
  async disable(db: Database, id: string): Promise<boolean> {
    return await db.transaction(async (tx) => {
      const disabled = await tx.query(
        `update webhook_subscription set status = 'disabled', disabled_at = now()
         where id = $1 and status = 'active' returning id`,
        [id],
      );
      await cancelPending(tx, id);
      return disabled.length > 0;
    });
  },
};

async function cancelPending(tx: Queryable, subscriptionId: string): Promise<void> {
  await tx.query(
    `update webhook_delivery set state = 'cancelled', next_attempt_at = null, ended_at = now()
     where subscription_id = $1 and state = 'pending'`,
    [subscriptionId],
  );
}

function toSubscription(row: SubscriptionRow): Subscription {
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    events: row.events,
    status: row.status,
    createdAt: row.created_at,
    disabledAt: row.disabled_at,
  };
}
