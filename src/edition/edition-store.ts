import { onlyRow, type Queryable } from '../platform/database/database.ts';
import type { Segment } from '../transcript/segment.ts';
import type { UnclearSpeech } from '../transcript/transcript.ts';
import type { CurrentSegment, Edition, EditionSegment } from './edition.ts';

interface EditionRow {
  revision: string;
  speakers: Record<string, string>;
  is_partial: boolean;
}

/** An edition without its lines. */
interface EditionHead extends Omit<Edition, 'segments'> {
  /** It was begun before the transcript was complete, and has not taken over the rest. */
  isPartial: boolean;
}

interface SegmentRow {
  id: string;
  revision: string;
  start_ms: number;
  end_ms: number;
  text: string;
  speaker: string | null;
  is_deleted: boolean;
}

const segmentColumns = 'id, revision, start_ms, end_ms, text, speaker, is_deleted';
/** The order in which people read: by time. */
const inOrder = 'order by start_ms, end_ms, id';

/** The machine's own result of a job. */
export interface MachineText {
  text: string;
  segments: Segment[];
  /** None for jobs from before it was kept. */
  unclear: UnclearSpeech[];
}

/** What a reader wants to know about a recording beside its words. */
export interface TranscriptFacts {
  id: string;
  filename: string;
  status: 'processing' | 'completed' | 'failed';
  createdAt: Date;
  durationSeconds: number | null;
  language: string | null;
  error: string | null;
  sizeBytes: number | null;
  /** The recording was cut off: its end is missing. */
  isTruncated: boolean;
  /** Speakers were asked for, and could not be told apart. */
  isWithoutSpeakers: boolean;
  publishedAt: Date | null;
  editedAt: Date | null;
}

interface FactsRow {
  id: string;
  filename: string;
  status: TranscriptFacts['status'];
  created_at: Date;
  duration_seconds: number | null;
  language: string | null;
  error: string | null;
  size_bytes: string | null;
  is_truncated: boolean;
  is_without_speakers: boolean;
  published_at: Date | null;
  edited_at: Date | null;
}

type Nullable<Fields> = { [Name in keyof Fields]: Fields[Name] | null };

export const editionStore = {
  async facts(db: Queryable, accountId: string, id: string): Promise<TranscriptFacts | undefined> {
    const [row] = await db.query<FactsRow>(
      `select id, coalesce(display_name, filename) as filename, status, created_at, duration_seconds, options ->> 'language' as language, error,
         source ->> 'sizeBytes' as size_bytes, 'truncated' = any(notes) as is_truncated, published_at, edited_at,
         status = 'completed' and coalesce((options ->> 'speakerDiarization')::bool, false)
           and not jsonb_path_exists(coalesce(segments, '[]'), '$[*].speaker') as is_without_speakers
       from transcription left join edition on transcription_id = id
       where id = $1 and account_id = $2`,
      [id, accountId],
    );
    return row && factsOf(row);
  },

  /** Undefined when the account has no such completed job. */
  async machineText(db: Queryable, accountId: string, id: string): Promise<MachineText | undefined> {
    const [row] = await db.query<Pick<MachineText, 'text'> & Nullable<Omit<MachineText, 'text'>>>(
      `select text, segments, unclear from transcription where id = $1 and account_id = $2 and status = 'completed'`,
      [id, accountId],
    );
    return row && { text: row.text, segments: row.segments ?? [], unclear: row.unclear ?? [] };
  },

  /** What an edition is made of; segments are null while they are being made. The job does not end until `tx` does. */
  async origin(
    tx: Queryable,
    accountId: string,
    id: string,
  ): Promise<{ segments: Segment[] | null } | undefined> {
    const [row] = await tx.query<{ status: string; segments: Segment[] | null }>(
      `select status, segments from transcription
       where id = $1 and account_id = $2 and status <> 'failed' for share`,
      [id, accountId],
    );
    return row && { segments: row.status === 'processing' ? null : (row.segments ?? []) };
  },

  /** `isBehind`: the transcript is complete, and the edition has not taken over the rest of it. */
  async find(db: Queryable, id: string): Promise<(EditionHead & { isBehind: boolean }) | undefined> {
    const [row] = await db.query<EditionRow & { is_behind: boolean }>(
      `select revision, speakers, is_partial, is_partial and status = 'completed' as is_behind
       from edition join transcription on id = transcription_id where transcription_id = $1`,
      [id],
    );
    return row && { ...headOf(row), isBehind: row.is_behind };
  },

  async segments(db: Queryable, id: string): Promise<EditionSegment[]> {
    const rows = await db.query<SegmentRow>(
      `select ${segmentColumns} from edition_segment where transcription_id = $1 and not is_deleted ${inOrder}`,
      [id],
    );
    return rows.map(segmentOf);
  },

  /** What writes after `since` changed, deleted ones too. */
  async changedSince(db: Queryable, id: string, since: number): Promise<CurrentSegment[]> {
    const rows = await db.query<SegmentRow>(
      `select ${segmentColumns} from edition_segment where transcription_id = $1 and revision > $2 ${inOrder}`,
      [id, since],
    );
    return rows.map(currentOf);
  },

  /** False when there is one already. */
  async create(tx: Queryable, id: string, { isPartial }: { isPartial: boolean }): Promise<boolean> {
    const created = await tx.query(
      `insert into edition (transcription_id, is_partial) values ($1, $2)
       on conflict do nothing returning revision`,
      [id, isPartial],
    );
    return created.length > 0;
  },

  /** For one writer alone until its transaction ends. */
  async lock(tx: Queryable, id: string): Promise<EditionHead> {
    const rows = await tx.query<EditionRow>(
      'select revision, speakers, is_partial from edition where transcription_id = $1 for update',
      [id],
    );
    return headOf(onlyRow(rows));
  },

  /** The edition has the rest of its transcript. */
  async markWhole(tx: Queryable, id: string, revision: number): Promise<void> {
    await tx.query(
      'update edition set is_partial = false, revision = $2 where transcription_id = $1 and is_partial',
      [id, revision],
    );
  },

  async current(tx: Queryable, id: string, ids: readonly string[]): Promise<Map<string, CurrentSegment>> {
    const rows = await tx.query<SegmentRow>(
      `select ${segmentColumns} from edition_segment where transcription_id = $1 and id = any($2)`,
      [id, ids],
    );
    return new Map(rows.map((row) => [row.id, currentOf(row)]));
  },

  /** Deleted lines included. */
  async size(tx: Queryable, id: string): Promise<{ lines: number; characters: number }> {
    const rows = await tx.query<{ lines: number; characters: number }>(
      `select count(*)::int as lines, coalesce(sum(length(text)), 0)::float8 as characters
       from edition_segment where transcription_id = $1`,
      [id],
    );
    return onlyRow(rows);
  },

  async put(tx: Queryable, id: string, segments: readonly CurrentSegment[]): Promise<void> {
    await tx.query(
      `insert into edition_segment (transcription_id, ${segmentColumns})
       select $1, * from unnest($2::text[], $3::bigint[], $4::int[], $5::int[], $6::text[], $7::text[], $8::bool[])
       on conflict (transcription_id, id) do update
       set revision = excluded.revision, start_ms = excluded.start_ms, end_ms = excluded.end_ms,
         text = excluded.text, speaker = excluded.speaker, is_deleted = excluded.is_deleted`,
      [
        id,
        segments.map((segment) => segment.id),
        segments.map((segment) => segment.revision),
        segments.map((segment) => segment.startMs),
        segments.map((segment) => segment.endMs),
        segments.map((segment) => segment.text),
        segments.map((segment) => segment.speaker),
        segments.map((segment) => segment.isDeleted),
      ],
    );
  },

  /** The write is done: the edition has its number and the names. */
  async settle(tx: Queryable, id: string, { revision, speakers }: Omit<Edition, 'segments'>): Promise<void> {
    await tx.query(
      'update edition set revision = $2, speakers = $3, edited_at = now() where transcription_id = $1',
      [id, revision, speakers],
    );
  },

  /** False when the job is not there any more. */
  async publish(
    db: Queryable,
    { accountId, id }: { accountId: string; id: string },
    published: Pick<MachineText, 'text' | 'segments'>,
  ): Promise<boolean> {
    const rows = await db.query(
      `update transcription set published_at = now(), published_text = $3, published_segments = $4
       where id = $1 and account_id = $2 and status = 'completed' returning id`,
      [id, accountId, published.text, JSON.stringify(published.segments)],
    );
    return rows.length === 1;
  },

  async withdraw(db: Queryable, { accountId, id }: { accountId: string; id: string }): Promise<boolean> {
    const rows = await db.query(
      `update transcription set published_at = null, published_text = null, published_segments = null
       where id = $1 and account_id = $2 and status = 'completed' returning id`,
      [id, accountId],
    );
    return rows.length === 1;
  },
};

function factsOf(row: FactsRow): TranscriptFacts {
  return {
    id: row.id,
    filename: row.filename,
    status: row.status,
    createdAt: row.created_at,
    durationSeconds: row.duration_seconds,
    language: row.language,
    error: row.error,
    sizeBytes: row.size_bytes === null ? null : Number(row.size_bytes),
    isTruncated: row.is_truncated,
    isWithoutSpeakers: row.is_without_speakers,
    publishedAt: row.published_at,
    editedAt: row.edited_at,
  };
}

function segmentOf(row: SegmentRow): EditionSegment {
  return {
    id: row.id,
    revision: Number(row.revision),
    startMs: row.start_ms,
    endMs: row.end_ms,
    text: row.text,
    speaker: row.speaker,
  };
}

function currentOf(row: SegmentRow): CurrentSegment {
  return { ...segmentOf(row), isDeleted: row.is_deleted };
}

function headOf({ revision, speakers, is_partial: isPartial }: EditionRow): EditionHead {
  return { revision: Number(revision), speakers, isPartial };
}
