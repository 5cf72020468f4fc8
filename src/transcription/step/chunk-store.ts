import type { Queryable } from '../../platform/database/database.ts';
import type { ChunkResult } from '../../speech/chunk-result.ts';
import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { RecognisedUtterance } from '../../timeline/utterance.ts';

const batchSize = 5_000;

/** A chunk with the language that was decided for it alone, before the rest of the recording was heard. */
export interface PlannedChunk extends Chunk {
  language?: string;
}

export const chunkStore = {
  async insertAll(tx: Queryable, transcriptionId: string, chunks: readonly PlannedChunk[]): Promise<void> {
    await tx.query(
      `insert into chunk (transcription_id, index, plan)
       select $1, (plan ->> 'index')::int, plan from jsonb_array_elements($2::jsonb) as plan`,
      [transcriptionId, JSON.stringify(chunks)],
    );
  },

  /** Every chunk that is planned so far, in order. */
  async plans(db: Queryable, transcriptionId: string): Promise<PlannedChunk[]> {
    const rows = await db.query<{ plan: PlannedChunk }>(
      'select plan from chunk where transcription_id = $1 order by index',
      [transcriptionId],
    );
    return rows.map(({ plan }) => plan);
  },

  async findWaiting(
    db: Queryable,
    transcriptionId: string,
    index: number,
  ): Promise<PlannedChunk | undefined> {
    const [row] = await db.query<{ plan: PlannedChunk }>(
      `select plan from chunk where transcription_id = $1 and index = $2 and status = 'waiting'`,
      [transcriptionId, index],
    );
    return row?.plan;
  },

  /** False when the chunk was done before: a repetition changes nothing. */
  async markDone(
    tx: Queryable,
    transcriptionId: string,
    index: number,
    result: ChunkResult,
  ): Promise<boolean> {
    const rows = await tx.query(
      `update chunk set status = 'done', result = $3
       where transcription_id = $1 and index = $2 and status = 'waiting' returning index`,
      [transcriptionId, index, result],
    );
    return rows.length === 1;
  },

  /** What was heard in the chunks from `from` on, without a gap, at most `limit` of them. */
  async utterancesFrom(
    db: Queryable,
    transcriptionId: string,
    { from, limit }: { from: number; limit: number },
  ): Promise<RecognisedUtterance[][]> {
    const rows = await db.query<{ index: number; utterances: RecognisedUtterance[] }>(
      `select index, result -> 'utterances' as utterances from chunk
       where transcription_id = $1 and index >= $2 and index < $2 + $3 and status = 'done' order by index`,
      [transcriptionId, from, limit],
    );
    const gap = rows.findIndex(({ index }, i) => index !== from + i);
    return (gap < 0 ? rows : rows.slice(0, gap)).map(({ utterances }) => utterances);
  },

  async results(db: Queryable, transcriptionId: string): Promise<ChunkResult[]> {
    const rows = await db.query<{ result: ChunkResult }>(
      `select result from chunk where transcription_id = $1 and status = 'done' order by index`,
      [transcriptionId],
    );
    return rows.map((row) => row.result);
  },

  /** With the text, the times and the voices that the chunks of a job hold. */
  async deleteAll(db: Queryable, transcriptionId: string): Promise<void> {
    await db.query('delete from chunk where transcription_id = $1', [transcriptionId]);
  },

  /** Chunks that a crash left behind when their job ended. */
  async deleteOfEnded(db: Queryable): Promise<number> {
    const rows = await db.query(
      `delete from chunk where (transcription_id, index) in (
         select transcription_id, index from chunk join transcription on transcription.id = transcription_id
         where transcription.status <> 'processing' limit ${batchSize})
       returning index`,
    );
    return rows.length;
  },
};
