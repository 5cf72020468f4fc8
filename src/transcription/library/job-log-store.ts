import type { Queryable } from '../../platform/database/database.ts';
import { type Progress, type ProgressRow, progressIn } from '../progress.ts';
import { progressColumns } from '../progress-store.ts';
import type { Transcription } from '../transcription.ts';

/** A job as its operator sees it: how it goes, whose it is, why it failed; nothing of what was said. */
export interface LoggedJob {
  id: string;
  accountId: string;
  accountName: string;
  filename: string;
  progress: Progress;
  createdAt: Date;
  finishedAt: Date | null;
  error: string | null;
  errorCode: string | null;
}

interface LoggedJobRow extends ProgressRow {
  id: string;
  account_id: string;
  account_name: string;
  filename: string;
  created_at: Date;
  finished_at: Date | null;
  error: string | null;
  error_code: string | null;
}

export interface JobFilter {
  status: Transcription['status'] | undefined;
  accountId: string | undefined;
  limit: number;
}

/** As the index over all accounts has it; that of one account goes by `number desc`. */
const allNewestFirst = '-number';

export const jobLogStore = {
  /** Newest first. */
  async list(db: Queryable, { status, accountId, limit }: JobFilter): Promise<LoggedJob[]> {
    const rows = await db.query<LoggedJobRow>(
      `select id, account_id, (select name from account where account.id = account_id) as account_name, filename,
         created_at, finished_at, error, error_code, ${progressColumns}
       from transcription
       where ($1::text is null or status = $1) and ($2::uuid is null or account_id = $2)
       order by ${accountId === undefined ? allNewestFirst : 'number desc'} limit $3`,
      [status ?? null, accountId ?? null, limit],
    );
    return rows.map((row) => ({
      id: row.id,
      accountId: row.account_id,
      accountName: row.account_name,
      filename: row.filename,
      progress: progressIn(row),
      createdAt: row.created_at,
      finishedAt: row.finished_at,
      error: row.error,
      errorCode: row.error_code,
    }));
  },
};
