import { type EventType, maskedUrl } from '../contract/webhook.ts';
import { onlyRow, type Queryable } from '../platform/database/database.ts';

export interface NewEvent {
  id: string;
  accountId: string;
  /** Null for a test event. */
  transcriptionId: string | null;
  type: EventType;
  body: string;
}

export interface Receiver {
  subscriptionId: string;
  url: string;
}

/** Of an event e: no receiver waits for it. */
const isSettled = `not exists (
  select from webhook_delivery d where d.event_id = e.id and d.state in ('pending', 'sending'))`;

export const eventStore = {
  /** By the clock of the database: what `now()` is in this transaction. */
  async now(tx: Queryable): Promise<Date> {
    return onlyRow(await tx.query<{ now: Date }>('select now()')).now;
  },

  /** False when this job has an event already: one for each job. */
  async add(tx: Queryable, event: NewEvent): Promise<boolean> {
    const rows = await tx.query(
      `insert into webhook_event (id, account_id, transcription_id, type, body, created_at)
       values ($1, $2, $3, $4, $5, now())
       on conflict (transcription_id) do nothing
       returning id`,
      [event.id, event.accountId, event.transcriptionId, event.type, event.body],
    );
    return rows.length > 0;
  },

  /**
   * The active subscriptions of an account that chose a type. They are locked until the transaction ends, so that a
   * delete or a 410 at the same moment comes after the new deliveries and cancels them.
   */
  async lockReceivers(
    tx: Queryable,
    { accountId, type }: { accountId: string; type: EventType },
  ): Promise<Receiver[]> {
    return await tx.query<Receiver & Record<string, unknown>>(
      `select id as "subscriptionId", url from webhook_subscription
       where account_id = $1 and status = 'active' and $2 = any (events)
       order by position for share`,
      [accountId, type],
    );
  },

  async addDeliveries(
    tx: Queryable,
    {
      eventId,
      receivers,
      firstDelayMs,
    }: { eventId: string; receivers: readonly Receiver[]; firstDelayMs: number },
  ): Promise<void> {
    if (receivers.length === 0) return;
    await tx.query(
      `insert into webhook_delivery (event_id, subscription_id, receiver, state, next_attempt_at, created_at)
       select $1, subscription_id, receiver, 'pending', now() + $4 * interval '1 millisecond', now()
       from unnest($2::uuid[], $3::text[]) as r (subscription_id, receiver)`,
      [
        eventId,
        receivers.map((receiver) => receiver.subscriptionId),
        receivers.map((receiver) => maskedUrl(receiver.url)),
        firstDelayMs,
      ],
    );
  },

  /** Forgets the events of these jobs, but for those that a receiver still waits for. */
  async deleteSettledOf(tx: Queryable, transcriptionIds: readonly string[]): Promise<void> {
    await tx.query(`delete from webhook_event e where transcription_id = any($1) and ${isSettled}`, [
      transcriptionIds,
    ]);
  },

  /** The same for every job that does not exist any more: their receivers have been told by now. */
  async deleteSettledOfDeletedJobs(db: Queryable): Promise<number> {
    const rows = await db.query(
      `delete from webhook_event e
       where transcription_id is not null and ${isSettled}
         and not exists (select from transcription t where t.id = e.transcription_id)
       returning id`,
    );
    return rows.length;
  },
};
