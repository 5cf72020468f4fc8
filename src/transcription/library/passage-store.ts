import type { Queryable } from '../../platform/database/database.ts';
import type { Segment } from '../../transcript/segment.ts';

/** Where a page of hits ended: newer transcripts come first, in each the passages in their order. */
export interface PassagePosition {
  number: string;
  index: number;
}

export interface FoundPassage {
  transcriptionId: string;
  filename: string;
  createdAt: Date;
  durationSeconds: number | null;
  /** Empty where the name of the recording was found. */
  segments: readonly Segment[];
  position: PassagePosition;
}

interface FoundPassageRow {
  id: string;
  filename: string;
  created_at: Date;
  duration_seconds: number | null;
  segments: Segment[];
  number: string;
  index: number;
}

/** The rows are written by the trigger `transcription_passages`. */
export const passageStore = {
  /** Of the account's own transcripts only. */
  async search(db: Queryable, { accountId, tsquery, after, limit }: PassageSearch): Promise<FoundPassage[]> {
    const rows = await db.query<FoundPassageRow>(
      `with hit as (
         select transcription_id, index, number, segments from transcript_passage
         where account_id = $1 and words @@ to_tsquery('simple', $2)
           and ($3::bigint is null or number < $3 or (number = $3 and index > $4))
         order by number desc, index limit $5
       )
       select t.id, t.filename, t.created_at, t.duration_seconds, hit.segments, hit.number, hit.index
       from hit join transcription as t on t.id = hit.transcription_id and t.account_id = $1
       order by hit.number desc, hit.index`,
      [accountId, tsquery, after?.number ?? null, after?.index ?? null, limit],
    );
    return rows.map((row) => ({
      transcriptionId: row.id,
      filename: row.filename,
      createdAt: row.created_at,
      durationSeconds: row.duration_seconds,
      segments: row.segments,
      position: { number: row.number, index: row.index },
    }));
  },
};

export interface PassageSearch {
  accountId: string;
  tsquery: string;
  after: PassagePosition | undefined;
  limit: number;
}
