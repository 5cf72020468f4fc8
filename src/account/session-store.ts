import { onlyRow, type Queryable } from '../platform/database/database.ts';

export interface Session {
  id: string;
  accountId: string;
  /** Null when it was not opened with an API key. */
  apiKeyId: string | null;
  userAgent: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

interface SessionRow {
  id: string;
  account_id: string;
  api_key_id: string | null;
  user_agent: string;
  created_at: Date;
  last_seen_at: Date;
  expires_at: Date;
}

export interface NewSession {
  accountId: string;
  tokenHash: Buffer;
  apiKeyId: string | null;
  userAgent: string;
  at: Date;
  expiresAt: Date;
}

/** What decides whether a session is still open. */
export interface SessionLimits {
  at: Date;
  /** Sessions that were last seen before this have ended. */
  seenSince: Date;
}

const columns =
  'session.id, session.account_id, session.api_key_id, session.user_agent, session.created_at, session.last_seen_at, session.expires_at';
/** With the limits as the parameters $1 and $2. */
const openSessions = `web_session session left join api_key key on key.id = session.api_key_id
  where session.expires_at > $1 and session.last_seen_at > $2
    and (session.api_key_id is null
      or key.revoked_at is null and (key.expires_at is null or key.expires_at > $1))`;

export const sessionStore = {
  async insert(tx: Queryable, session: NewSession): Promise<Session> {
    const rows = await tx.query<SessionRow>(
      `insert into web_session as session
         (account_id, token_hash, api_key_id, user_agent, created_at, last_seen_at, expires_at)
       values ($1, $2, $3, $4, $5, $5, $6) returning ${columns}`,
      [
        session.accountId,
        session.tokenHash,
        session.apiKeyId,
        session.userAgent,
        session.at,
        session.expiresAt,
      ],
    );
    return sessionOf(onlyRow(rows));
  },

  async findOpen(
    db: Queryable,
    tokenHash: Buffer,
    { at, seenSince }: SessionLimits,
  ): Promise<Session | undefined> {
    const [row] = await db.query<SessionRow>(
      `select ${columns} from ${openSessions} and session.token_hash = $3`,
      [at, seenSince, tokenHash],
    );
    return row && sessionOf(row);
  },

  async listOpen(db: Queryable, accountId: string, { at, seenSince }: SessionLimits): Promise<Session[]> {
    const rows = await db.query<SessionRow>(
      `select ${columns} from ${openSessions} and session.account_id = $3
       order by session.last_seen_at desc, session.id`,
      [at, seenSince, accountId],
    );
    return rows.map(sessionOf);
  },

  /** Of these sessions, the ones that are still open. */
  async openAmong(
    db: Queryable,
    ids: readonly string[],
    { at, seenSince }: SessionLimits,
  ): Promise<Set<string>> {
    const rows = await db.query<{ id: string }>(
      `select session.id from ${openSessions} and session.id = any ($3::uuid[])`,
      [at, seenSince, ids],
    );
    return new Set(rows.map(({ id }) => id));
  },

  async markSeen(db: Queryable, id: string, at: Date): Promise<void> {
    await db.query('update web_session set last_seen_at = greatest(last_seen_at, $2) where id = $1', [
      id,
      at,
    ]);
  },

  /** Of the account's own; false when there is none. */
  async delete(db: Queryable, accountId: string, id: string): Promise<boolean> {
    const rows = await db.query('delete from web_session where id = $1 and account_id = $2 returning id', [
      id,
      accountId,
    ]);
    return rows.length === 1;
  },

  /** What has ended by time, of every account, and what this account has beyond `keep`, longest unseen first. */
  async deleteSurplus(
    tx: Queryable,
    accountId: string,
    { at, seenSince, keep }: SessionLimits & { keep: number },
  ): Promise<void> {
    await tx.query('delete from web_session where expires_at <= $1 or last_seen_at <= $2', [at, seenSince]);
    await tx.query(
      `delete from web_session where id in (
         select id from web_session where account_id = $1 order by last_seen_at desc, id offset $2)`,
      [accountId, keep],
    );
  },

  async deleteOfAccount(tx: Queryable, accountId: string): Promise<void> {
    await tx.query('delete from web_session where account_id = $1', [accountId]);
    await tx.query('delete from sign_in_token where account_id = $1', [accountId]);
  },
};

function sessionOf(row: SessionRow): Session {
  return {
    id: row.id,
    accountId: row.account_id,
    apiKeyId: row.api_key_id,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
  };
}
