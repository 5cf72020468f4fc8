import type { Queryable } from '../platform/database.ts';
import type { TranscriptWord } from '../transcript/transcript-word.ts';

/** The words of a recording as the machine heard them; none for jobs that kept no words. */
export const heardWordsStore = {
  async all(db: Queryable, transcriptionId: string): Promise<TranscriptWord[]> {
    const [row] = await db.query<{ words: TranscriptWord[] | null }>(
      'select words from transcription where id = $1',
      [transcriptionId],
    );
    return row?.words ?? [];
  },

  /** Those of a stretch of the recording, in milliseconds. */
  async within(
    db: Queryable,
    transcriptionId: string,
    { fromMs, toMs }: { fromMs: number; toMs: number },
  ): Promise<TranscriptWord[]> {
    const rows = await db.query<{ word: TranscriptWord }>(
      `select word from transcription,
         jsonb_array_elements(coalesce(words, '[]'::jsonb)) with ordinality as spoken (word, place)
       where id = $1 and (word ->> 2)::int >= $2 and (word ->> 1)::int <= $3 order by place`,
      [transcriptionId, fromMs, toMs],
    );
    return rows.map(({ word }) => word);
  },
};
