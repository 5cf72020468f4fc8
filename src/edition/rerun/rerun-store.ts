import { onlyRow, type Queryable } from '../../platform/database/database.ts';
import type { TranscriptWord } from '../../transcript/transcript-word.ts';
import type { TranscriptionOptions } from '../../transcription/transcription.ts';
import type { Rerun, RerunFailureCode, RunningRerun } from './rerun.ts';

interface RerunRow {
  id: string;
  status: Rerun['status'];
  lines: Rerun['lines'];
  start_ms: number;
  end_ms: number;
  language: string | null;
  engine: string | null;
  progress: number | null;
  failure: RerunFailureCode | null;
  revision: string | null;
}

export interface NewRerun extends Pick<Rerun, 'id' | 'lines' | 'startMs' | 'endMs' | 'language' | 'engine'> {
  transcriptionId: string;
  accountId: string;
}

const columns = 'id, status, lines, start_ms, end_ms, language, engine, progress, failure, revision';
const lineIdsOf = `jsonb_path_query_array(lines, '$[*].id')`;
/** A rerun that no worker has brought to an end by then is given up. */
const waitsAtMost = `interval '1 hour'`;
const listedMax = 200;

export const rerunStore = {
  /** Of one transcript, in order of time; those that ended are told for a day. */
  async list(db: Queryable, transcriptionId: string): Promise<Rerun[]> {
    await expire(db, transcriptionId);
    const rows = await db.query<RerunRow>(
      `select ${columns} from rerun
       where transcription_id = $1 and (ended_at is null or ended_at > now() - interval '1 day')
         and failure is distinct from 'withdrawn'
       order by start_ms, created_at limit ${listedMax}`,
      [transcriptionId],
    );
    return rows.map(rerunOf);
  },

  /** How many of the account wait, and how many it asked for since a time. */
  async usage(tx: Queryable, accountId: string, since: Date): Promise<{ waiting: number; asked: number }> {
    const rows = await tx.query<{ waiting: number; asked: number }>(
      `select count(*) filter (where status = 'waiting' and created_at > now() - ${waitsAtMost})::int as waiting,
         count(*) filter (where created_at >= $2)::int as asked
       from rerun where account_id = $1 and created_at > least($2, now() - ${waitsAtMost})`,
      [accountId, since],
    );
    return onlyRow(rows);
  },

  /** In the place of failed ones of the same lines. Undefined while another one of them waits. */
  async insert(tx: Queryable, rerun: NewRerun): Promise<Rerun | undefined> {
    const { id, transcriptionId, accountId, lines, startMs, endMs, language, engine } = rerun;
    await expire(tx, transcriptionId);
    const lineIds = lines.map((line) => line.id);
    await tx.query(
      `update rerun set failure = 'withdrawn' where transcription_id = $1 and status = 'failed' and ${lineIdsOf} ?| $2`,
      [transcriptionId, lineIds],
    );
    const [row] = await tx.query<RerunRow>(
      `insert into rerun (id, transcription_id, account_id, lines, start_ms, end_ms, language, engine)
       select $1, $2, $3, $4, $5, $6, $7, $8
       where not exists (select from rerun
                         where transcription_id = $2 and status = 'waiting' and ${lineIdsOf} ?| $9)
       returning ${columns}`,
      [id, transcriptionId, accountId, JSON.stringify(lines), startMs, endMs, language, engine, lineIds],
    );
    return row && rerunOf(row);
  },

  /** A worker begins. Undefined when there is nothing left to do. */
  async begin(db: Queryable, id: string): Promise<RunningRerun | undefined> {
    const [row] = await db.query<
      RerunRow & { transcription_id: string; account_id: string; options: TranscriptionOptions }
    >(
      `update rerun set progress = 0
       where id = $1 and status = 'waiting' and created_at > now() - ${waitsAtMost}
       returning ${columns}, transcription_id, account_id,
         (select options from transcription where transcription.id = transcription_id) as options`,
      [id],
    );
    if (!row) return undefined;
    const { transcription_id: transcriptionId, account_id: accountId, options } = row;
    return { ...rerunOf(row), transcriptionId, accountId, options };
  },

  /** False when it has ended, or was taken back. */
  async markProgress(db: Queryable, id: string, progress: number): Promise<boolean> {
    const rows = await db.query(
      `update rerun set progress = $2 where id = $1 and status = 'waiting' returning id`,
      [id, progress],
    );
    return rows.length > 0;
  },

  /** A try that counts; gives how many there were. */
  async countFault(db: Queryable, id: string): Promise<number> {
    const [row] = await db.query<{ faults: number }>(
      `update rerun set faults = faults + 1, progress = null where id = $1 and status = 'waiting' returning faults`,
      [id],
    );
    return row?.faults ?? 0;
  },

  /** False when it has ended, or was taken back. Words of earlier ones of the same stretch have served. */
  async markDone(
    tx: Queryable,
    { id, transcriptionId, startMs, endMs }: RunningRerun,
    { revision, words }: { revision: number; words: readonly TranscriptWord[] },
  ): Promise<boolean> {
    const rows = await tx.query(
      `update rerun set status = 'done', ended_at = now(), progress = 1, revision = $2, words = $3
       where id = $1 and status = 'waiting' returning id`,
      [id, revision, JSON.stringify(words)],
    );
    if (rows.length === 0) return false;
    await tx.query(
      `update rerun set words = null
       where transcription_id = $1 and id <> $2 and status = 'done' and start_ms >= $3 and end_ms <= $4`,
      [transcriptionId, id, startMs, endMs],
    );
    return true;
  },

  async markFailed(db: Queryable, id: string, failure: RerunFailureCode): Promise<void> {
    await db.query(
      `update rerun set status = 'failed', ended_at = now(), failure = $2 where id = $1 and status = 'waiting'`,
      [id, failure],
    );
  },

  /** Takes back one that waits, or forgets one that failed; it still counts for its day. False when there is no such one. */
  async remove(db: Queryable, transcriptionId: string, id: string): Promise<boolean> {
    const rows = await db.query(
      `update rerun set status = 'failed', failure = 'withdrawn', ended_at = coalesce(ended_at, now())
       where id = $2 and transcription_id = $1 and status <> 'done' and failure is distinct from 'withdrawn'
       returning id`,
      [transcriptionId, id],
    );
    return rows.length > 0;
  },
};

async function expire(db: Queryable, transcriptionId: string): Promise<void> {
  await db.query(
    `update rerun set status = 'failed', ended_at = now(), failure = 'expired'
     where transcription_id = $1 and status = 'waiting' and created_at <= now() - ${waitsAtMost}`,
    [transcriptionId],
  );
}

function rerunOf(row: RerunRow): Rerun {
  const { id, status, lines, language, engine, progress, failure } = row;
  return {
    id,
    status,
    lines,
    startMs: row.start_ms,
    endMs: row.end_ms,
    language,
    engine,
    progress,
    failure,
    revision: row.revision === null ? null : Number(row.revision),
  };
}
