import type { Queryable } from '../../platform/database/database.ts';

const rememberedHours = 24;

export interface RememberedRequest {
  requestHash: Buffer;
  transcriptionId: string;
}

export const idempotencyStore = {
  async find(db: Queryable, accountId: string, key: string): Promise<RememberedRequest | undefined> {
    const [row] = await db.query<{ request_hash: Buffer; transcription_id: string }>(
      `select request_hash, transcription_id from idempotency_key
       where account_id = $1 and key = $2 and created_at > now() - make_interval(hours => $3)`,
      [accountId, key, rememberedHours],
    );
    return row && { requestHash: row.request_hash, transcriptionId: row.transcription_id };
  },

  /** False when a request with the same key was faster. An expired key is free again. */
  async remember(
    tx: Queryable,
    { accountId, key, requestHash, transcriptionId }: { accountId: string; key: string } & RememberedRequest,
  ): Promise<boolean> {
    const rows = await tx.query(
      `insert into idempotency_key as known (account_id, key, request_hash, transcription_id)
       values ($1, $2, $3, $4)
       on conflict (account_id, key) do update
       set request_hash = excluded.request_hash, transcription_id = excluded.transcription_id, created_at = now()
       where known.created_at <= now() - make_interval(hours => $5)
       returning key`,
      [accountId, key, requestHash, transcriptionId, rememberedHours],
    );
    return rows.length === 1;
  },

  async forgetExpired(db: Queryable): Promise<number> {
    const rows = await db.query(
      'delete from idempotency_key where created_at <= now() - make_interval(hours => $1) returning key',
      [rememberedHours],
    );
    return rows.length;
  },
};
