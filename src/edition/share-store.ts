import { onlyRow, type Queryable } from '../platform/database/database.ts';

export interface Share {
  id: string;
  createdAt: Date;
  expiresAt: Date;
}

interface ShareRow {
  id: string;
  created_at: Date;
  expires_at: Date;
}

export const shareStore = {
  async insert(
    db: Queryable,
    share: { transcriptionId: string; tokenHash: Buffer; createdAt: Date; expiresAt: Date },
  ): Promise<Share> {
    const rows = await db.query<ShareRow>(
      `insert into share (transcription_id, token_hash, created_at, expires_at) values ($1, $2, $3, $4)
       returning id, created_at, expires_at`,
      [share.transcriptionId, share.tokenHash, share.createdAt, share.expiresAt],
    );
    return shareOf(onlyRow(rows));
  },

  /** Those that still open the transcript, newest first. */
  async list(db: Queryable, transcriptionId: string, now: Date): Promise<Share[]> {
    const rows = await db.query<ShareRow>(
      `select id, created_at, expires_at from share
       where transcription_id = $1 and expires_at > $2 order by created_at desc, id`,
      [transcriptionId, now],
    );
    return rows.map(shareOf);
  },

  async delete(
    db: Queryable,
    { transcriptionId, id }: { transcriptionId: string; id: string },
  ): Promise<boolean> {
    const rows = await db.query('delete from share where id = $1 and transcription_id = $2 returning id', [
      id,
      transcriptionId,
    ]);
    return rows.length === 1;
  },

  /** The transcript that a token opens now, and whose it is. */
  async find(
    db: Queryable,
    tokenHash: Buffer,
    now: Date,
  ): Promise<{ transcriptionId: string; accountId: string; expiresAt: Date } | undefined> {
    const [row] = await db.query<{ transcription_id: string; account_id: string; expires_at: Date }>(
      `select transcription_id, account_id, expires_at from share
       join transcription on transcription.id = transcription_id
       join account on account.id = account_id and account.deleted_at is null
       where token_hash = $1 and expires_at > $2`,
      [tokenHash, now],
    );
    return (
      row && { transcriptionId: row.transcription_id, accountId: row.account_id, expiresAt: row.expires_at }
    );
  },

  async forgetExpired(db: Queryable, before: Date): Promise<void> {
    await db.query('delete from share where expires_at < $1', [before]);
  },
};

function shareOf({ id, created_at: createdAt, expires_at: expiresAt }: ShareRow): Share {
  return { id, createdAt, expiresAt };
}
