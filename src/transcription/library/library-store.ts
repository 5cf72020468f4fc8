import type { Queryable } from '../../platform/database/database.ts';
import { type Progress, type ProgressRow, progressIn } from '../progress.ts';
import { progressColumns } from '../progress-store.ts';
import type { Note, Transcription } from '../transcription.ts';

/** A job as its owner's library shows it. */
export interface LibraryEntry {
  id: string;
  /** Its place in the order of creation; the cursor of the page that begins after it. */
  number: string;
  name: string;
  filename: string;
  createdAt: Date;
  progress: Progress;
  durationSeconds: number | null;
  /** Whether it waits for others of the account to end. */
  isWaiting: boolean;
  /** Null until it was decided. */
  language: string | null;
  speakerDiarization: boolean;
  /** Of a job that was made from a link. */
  sourceUrl: string | null;
  notes: Note[];
  /** The end of what was recognised so far, while the job runs. */
  lastWords: string | null;
  error: string | null;
  errorCode: string | null;
}

interface LibraryRow extends ProgressRow {
  id: string;
  number: string;
  name: string;
  filename: string;
  created_at: Date;
  is_waiting: boolean;
  language: string | null;
  speaker_diarization: boolean;
  source_url: string | null;
  notes: Note[];
  last_words: string | null;
  error: string | null;
  error_code: string | null;
}

const lastWordsCharacters = 160;

const columns = `id, number::text, coalesce(display_name, filename) as name, filename, created_at,
  status = 'processing' and admitted_at is null as is_waiting,
  options ->> 'language' as language, (options ->> 'speakerDiarization')::boolean as speaker_diarization,
  source ->> 'url' as source_url, notes, error, error_code, ${progressColumns},
  case when status = 'processing' and stage = 'recognising' then (
    select right(result -> 'utterances' -> -1 ->> 'text', ${lastWordsCharacters}) from chunk
    where transcription_id = transcription.id and chunk.status = 'done'
      and jsonb_array_length(result -> 'utterances') > 0
    order by index desc limit 1
  ) end as last_words`;

export interface LibraryFilter {
  status: Transcription['status'] | undefined;
  /** Only what was created before the entry of this number. */
  before: string | undefined;
  limit: number;
}

export const libraryStore = {
  /** Newest first. */
  async list(
    db: Queryable,
    accountId: string,
    { status, before, limit }: LibraryFilter,
  ): Promise<LibraryEntry[]> {
    const rows = await db.query<LibraryRow>(
      `select ${columns} from transcription
       where account_id = $1 and ($2::text is null or status = $2) and ($3::bigint is null or number < $3)
       order by transcription.number desc limit $4`,
      [accountId, status ?? null, before ?? null, limit],
    );
    return rows.map(entryOf);
  },

  /** These of the account's jobs, as far as they are there, and those created after the entry of a number. */
  async changes(
    db: Queryable,
    accountId: string,
    { ids, after, limit }: { ids: readonly string[]; after: string; limit: number },
  ): Promise<LibraryEntry[]> {
    const rows = await db.query<LibraryRow>(
      `(select ${columns} from transcription where account_id = $1 and number > $3 order by transcription.number desc limit $4)
       union all
       (select ${columns} from transcription where account_id = $1 and id = any ($2::uuid[]) and number <= $3)`,
      [accountId, ids, after, limit],
    );
    return rows.map(entryOf);
  },

  async find(db: Queryable, accountId: string, id: string): Promise<LibraryEntry | undefined> {
    const [row] = await db.query<LibraryRow>(
      `select ${columns} from transcription where account_id = $1 and id = $2`,
      [accountId, id],
    );
    return row && entryOf(row);
  },

  /** Names of jobs that were renamed, by id. */
  async displayNames(db: Queryable, ids: readonly string[]): Promise<Map<string, string>> {
    const rows = await db.query<{ id: string; display_name: string }>(
      'select id, display_name from transcription where id = any ($1::uuid[]) and display_name is not null',
      [ids],
    );
    return new Map(rows.map((row) => [row.id, row.display_name]));
  },

  /** Null gives it the name of its file again. False when the account has no such job. */
  async rename(db: Queryable, accountId: string, id: string, name: string | null): Promise<boolean> {
    const rows = await db.query(
      'update transcription set display_name = $3 where id = $1 and account_id = $2 returning id',
      [id, accountId, name],
    );
    return rows.length === 1;
  },

  async countByStatus(db: Queryable, accountId: string): Promise<Record<Transcription['status'], number>> {
    const rows = await db.query<{ status: Transcription['status']; count: number }>(
      'select status, count(*)::int as count from transcription where account_id = $1 group by status',
      [accountId],
    );
    const counts = { processing: 0, completed: 0, failed: 0 };
    for (const { status, count } of rows) counts[status] = count;
    return counts;
  },
};

function entryOf(row: LibraryRow): LibraryEntry {
  return {
    id: row.id,
    number: row.number,
    name: row.name,
    filename: row.filename,
    createdAt: row.created_at,
    progress: progressIn(row),
    durationSeconds: row.duration_seconds,
    isWaiting: row.is_waiting,
    language: row.language,
    speakerDiarization: row.speaker_diarization,
    sourceUrl: row.source_url,
    notes: row.notes,
    lastWords: row.last_words && wholeWords(row.last_words),
    error: row.error,
    errorCode: row.error_code,
  };
}

/** A cut in the middle of a word is moved to its end. */
function wholeWords(text: string): string {
  return text.length < lastWordsCharacters ? text : text.replace(/^\S*\s/, '');
}
