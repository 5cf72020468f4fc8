import { hotQuery, onlyRow, type Queryable } from '../platform/database/database.ts';
import type { Transcript } from '../transcript/transcript.ts';
import type { TranscriptWord } from '../transcript/transcript-word.ts';
import type { Failure } from './failure.ts';
import type {
  AudioObject,
  CompletedTranscription,
  EndedTranscription,
  FailedTranscription,
  MediaObject,
  Note,
  ProcessingTranscription,
  Source,
  Stage,
  Transcription,
  TranscriptionOptions,
  TranscriptionSummary,
} from './transcription.ts';
import {
  columns,
  completedOf,
  failedOf,
  processingOf,
  type SummaryRow,
  summaryColumns,
  summaryOf,
  type TranscriptionRow,
  transcriptionOf,
} from './transcription-row.ts';

export interface NewTranscription {
  id: string;
  accountId: string;
  filename: string;
  source: Source;
  options: TranscriptionOptions;
  allowanceDay: string | null;
  /** The W3C trace context that its steps belong to. */
  traceParent?: string | undefined;
}

/** A job as its steps see it. */
export interface RunningTranscription extends ProcessingTranscription {
  /** What its link brought, until that is decoded. */
  media: MediaObject | null;
  /** Of its account: where its tasks wait their turn. */
  lane: number;
}

/** A job that this very statement ended. */
export interface JustEnded<Ended extends EndedTranscription = EndedTranscription> {
  transcription: Ended;
  media: MediaObject | null;
  /** The day whose allowance paid for the job, as YYYY-MM-DD. */
  allowanceDay: string | null;
  /** From its creation to its end. */
  tookSeconds: number;
  /** Of a failure. */
  errorCode: string | null;
}

interface EndedRow extends TranscriptionRow {
  media: MediaObject | null;
  allowance_day: string | null;
  took_seconds: number;
  error_code: string | null;
}

const endedColumns = `${columns}, media, allowance_day::text,
  extract(epoch from finished_at - created_at)::float8 as took_seconds`;

/** Written into the statement: with a limit as a parameter the list of an account with many jobs is planned anew each time. */
const listLengths = [25, 100];

export const transcriptionStore = {
  async insert(tx: Queryable, job: NewTranscription): Promise<ProcessingTranscription> {
    const inserted = await this.insertUnlessSame(tx, job, null);
    return onlyRow(inserted ? [inserted] : []);
  },

  /** Undefined when a job of the account that bears the same fingerprint runs already. */
  async insertUnlessSame(
    tx: Queryable,
    job: NewTranscription,
    requestFingerprint: Buffer | null,
  ): Promise<ProcessingTranscription | undefined> {
    const [row] = await hotQuery<TranscriptionRow>(
      tx,
      'transcription_insert',
      `insert into transcription (id, account_id, filename, source, options, allowance_day, request_fingerprint,
         trace_parent)
       values ($1, $2, $3, $4, $5, $6, $7, $8)
       on conflict (account_id, request_fingerprint) where status = 'processing' do nothing
       returning ${columns}`,
      [
        ...[job.id, job.accountId, job.filename, job.source, job.options, job.allowanceDay],
        ...[requestFingerprint, job.traceParent ?? null],
      ],
    );
    return row && processingOf(row);
  },

  /** For the owner: another account's job looks as if it did not exist. */
  async findOwned(db: Queryable, accountId: string, id: string): Promise<Transcription | undefined> {
    const [row] = await hotQuery<TranscriptionRow>(
      db,
      'transcription_owned',
      `select ${columns} from transcription where id = $1 and account_id = $2`,
      [id, accountId],
    );
    return row && transcriptionOf(row);
  },

  async isOwned(db: Queryable, accountId: string, id: string): Promise<boolean> {
    const rows = await db.query('select from transcription where id = $1 and account_id = $2', [
      id,
      accountId,
    ]);
    return rows.length > 0;
  },

  /** For the operator, who names a job by its id alone. */
  async ownerOf(db: Queryable, id: string): Promise<string | undefined> {
    const [row] = await db.query<{ account_id: string }>(
      'select account_id from transcription where id::text = lower($1)',
      [id],
    );
    return row?.account_id;
  },

  async listNewest(db: Queryable, accountId: string, limit: number): Promise<TranscriptionSummary[]> {
    const rows = await hotQuery<SummaryRow>(
      db,
      'transcription_newest',
      `select ${summaryColumns} from transcription where account_id = $1 order by number desc
       limit ${listLengths.find((length) => length >= limit) ?? limit}`,
      [accountId],
    );
    return rows.slice(0, limit).map(summaryOf);
  },

  /** For a worker: the job while it still is to be worked on. */
  async findProcessing(db: Queryable, id: string): Promise<RunningTranscription | undefined> {
    const [row] = await db.query<SummaryRow & { media: MediaObject | null; lane: string }>(
      `select ${summaryColumns}, media, (select number from account where account.id = account_id) as lane
       from transcription where id = $1 and status = 'processing'`,
      [id],
    );
    return row && { ...processingOf(row), media: row.media, lane: Number(row.lane) };
  },

  /** What the link brought is in the store. False when another worker was first. */
  async markFetched(
    tx: Queryable,
    id: string,
    { media, filename }: { media: MediaObject; filename: string },
  ): Promise<boolean> {
    const rows = await tx.query(
      `update transcription set media = $2, filename = $3, progressed_at = now()
       where id = $1 and status = 'processing' and media is null and chunks_total is null returning id`,
      [id, media, filename],
    );
    return rows.length === 1;
  },

  /** Where the job is; a fraction of the stage where it can be told. A stage is never left for an earlier one of the same attempt. */
  async markStage(
    db: Queryable,
    id: string,
    { stage, fraction }: { stage: Stage; fraction: number },
  ): Promise<void> {
    await db.query(
      `update transcription
       set stage = $2, stage_fraction = $3, stage_at = case when stage = $2 then stage_at else now() end
       where id = $1 and status = 'processing' and (stage, stage_fraction) is distinct from ($2, $3::real)`,
      [id, stage, fraction],
    );
  },

  /** The beginning is decoded and cut into chunks. False when another worker was first. */
  async markOpened(
    tx: Queryable,
    id: string,
    { audio, engine }: { audio: AudioObject; engine: string },
  ): Promise<boolean> {
    const rows = await tx.query(
      `update transcription set audio = $2, options = options || $3, progressed_at = now()
       where id = $1 and status = 'processing' and audio is null and chunks_total is null returning id`,
      [id, audio, { engine }],
    );
    return rows.length === 1;
  },

  /** The audio is decoded and cut into chunks; gives how many are left. Undefined when another worker was first. */
  async markDecoded(
    tx: Queryable,
    id: string,
    decoded: {
      durationSeconds: number;
      audio: AudioObject;
      chunks: number;
      notes: readonly Note[];
      /** Decided once, so that every chunk and every repetition is recognised alike. */
      options: Pick<TranscriptionOptions, 'engine' | 'language' | 'languageIsFound'>;
    },
  ): Promise<number | undefined> {
    const marked = await tx.query(
      `update transcription
       set duration_seconds = $2, chunks_total = $4, chunks_left = $4, options = options || $5,
         audio = $3::jsonb || case when audio is null then '{}' else jsonb_build_object('opening', audio) end,
         stage = 'recognising', stage_at = now(), notes = $6, progressed_at = now()
       where id = $1 and status = 'processing' and chunks_total is null returning id`,
      [id, decoded.durationSeconds, decoded.audio, decoded.chunks, decoded.options, decoded.notes],
    );
    if (marked.length === 0) return undefined;
    // A statement of its own: the row is locked now, so that a chunk of the opening is counted here or counts itself.
    const left = await tx.query<{ chunks_left: number }>(
      `update transcription
       set chunks_left = chunks_total - done, stage_fraction = done::real / greatest(chunks_total, 1)
       from (select count(*)::int as done from chunk where transcription_id = $1 and status = 'done') as counted
       where id = $1 returning chunks_left`,
      [id],
    );
    return onlyRow(left).chunks_left;
  },

  /** One chunk less to do; gives how many are left. */
  async countChunkDone(tx: Queryable, id: string): Promise<number | undefined> {
    const [row] = await tx.query<{ chunks_left: number }>(
      `update transcription
       set chunks_left = chunks_left - 1, progressed_at = now(),
         stage = case when chunks_left = 1 then 'finishing' else stage end
       where id = $1 and status = 'processing' returning chunks_left`,
      [id],
    );
    return row?.chunks_left;
  },

  async markCompleted(
    tx: Queryable,
    id: string,
    { text, segments, words, language, unclear }: Transcript,
  ): Promise<JustEnded<CompletedTranscription> | undefined> {
    const [row] = await tx.query<EndedRow>(
      `update transcription set status = 'completed', finished_at = now(), text = $2, segments = $3, words = $4, unclear = $6,
         options = case when $5::text is null then options else options || jsonb_build_object('language', $5::text) end
       where id = $1 and status = 'processing' and chunks_left = 0 returning ${endedColumns}`,
      [id, text, JSON.stringify(segments), JSON.stringify(words), language, JSON.stringify(unclear)],
    );
    return row && justEnded(row, completedOf(row));
  },

  async markFailed(
    tx: Queryable,
    id: string,
    failure: Failure,
  ): Promise<JustEnded<FailedTranscription> | undefined> {
    const [row] = await tx.query<EndedRow>(
      `update transcription set status = 'failed', finished_at = now(), error = $2, error_code = $3
       where id = $1 and status = 'processing' returning ${endedColumns}`,
      [id, failure.sentence, failure.code],
    );
    return row && justEnded(row, failedOf(row));
  },

  /** Every word with its times; null for jobs that ended before these were kept, and for an edited text. */
  async words(db: Queryable, id: string): Promise<TranscriptWord[] | null> {
    const [row] = await db.query<{ words: TranscriptWord[] | null }>(
      `select case when published_at is null then words end as words from transcription where id = $1`,
      [id],
    );
    return row?.words ?? null;
  },

  async delete(db: Queryable, id: string): Promise<void> {
    await db.query('delete from transcription where id = $1', [id]);
  },

  /** Deletes jobs that have ended, with everything that hangs on their rows. */
  async deleteEnded(tx: Queryable, ids: readonly string[]): Promise<void> {
    await tx.query(`delete from transcription where id = any($1) and status <> 'processing'`, [ids]);
  },

  /** So many jobs of an account, those that still run first. */
  async ofAccount(
    db: Queryable,
    { accountId, limit }: { accountId: string; limit: number },
  ): Promise<{ id: string; status: Transcription['status'] }[]> {
    return await db.query<{ id: string; status: Transcription['status'] }>(
      `select id, status from transcription where account_id = $1
       order by (status = 'processing') desc, number limit $2`,
      [accountId, limit],
    );
  },
};

function justEnded<Ended extends EndedTranscription>(row: EndedRow, transcription: Ended): JustEnded<Ended> {
  const { media, allowance_day: allowanceDay, took_seconds: tookSeconds, error_code: errorCode } = row;
  return { transcription, media, allowanceDay, tookSeconds, errorCode };
}
