import type { Queryable } from '../platform/database/database.ts';
import type { TranscriptWord } from '../transcript/transcript-word.ts';

/**
 * The words of a recording as the machine heard them, in order of time; none for jobs that kept no words. Of a passage
 * that was recognised again there are those of both times: a line finds its own by what it says.
 */
export const heardWordsStore = {
  async all(db: Queryable, transcriptionId: string): Promise<TranscriptWord[]> {
    const [row] = await db.query<{ words: TranscriptWord[] | null }>(
      'select words from transcription where id = $1',
      [transcriptionId],
    );
    const again = await db.query<{ words: TranscriptWord[] }>(
      'select words from rerun where transcription_id = $1 and words is not null order by start_ms',
      [transcriptionId],
    );
    return inOrder([row?.words ?? [], ...again.map(({ words }) => words)]);
  },

  /** Those of a stretch of the recording, in milliseconds; or only those that the machine is less sure of than so. */
  async within(
    db: Queryable,
    transcriptionId: string,
    { fromMs, toMs, confidenceBelow }: { fromMs: number; toMs: number; confidenceBelow?: number | undefined },
  ): Promise<TranscriptWord[]> {
    const rows = await db.query<{ word: TranscriptWord }>(
      `select word from (
         select words, 0 as run from transcription where id = $1
         union all
         select words, 1 + row_number() over (order by created_at) from rerun
         where transcription_id = $1 and end_ms >= $2 and start_ms <= $3
       ) as heard, jsonb_array_elements(coalesce(words, '[]'::jsonb)) with ordinality as spoken (word, place)
       where (word ->> 2)::int >= $2 and (word ->> 1)::int <= $3
         and ($4::float8 is null or (word ->> 4)::float8 < $4)
       order by (word ->> 1)::int, run, place`,
      [transcriptionId, fromMs, toMs, confidenceBelow ?? null],
    );
    return rows.map(({ word }) => word);
  },
};

function inOrder(heard: readonly TranscriptWord[][]): TranscriptWord[] {
  const [only = [], ...again] = heard;
  return again.length === 0 ? only : heard.flat().toSorted((a, b) => a[1] - b[1]);
}
