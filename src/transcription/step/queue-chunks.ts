import type { Queryable } from '../../platform/database/database.ts';
import type { TaskQueue } from '../../platform/queue/queue.ts';
import type { RunningTranscription } from '../transcription-store.ts';
import { chunkStore, type PlannedChunk } from './chunk-store.ts';
import { type ChunkTask, stepQueues } from './steps.ts';

/** Chunks and their tasks appear together. Whoever calls it wakes the queue after the transaction. */
export async function queueChunks(
  queue: TaskQueue,
  tx: Queryable,
  { id, lane }: RunningTranscription,
  chunks: readonly PlannedChunk[],
): Promise<void> {
  await chunkStore.insertAll(tx, id, chunks);
  // Early chunks of a new job go with late chunks of an old one: a long file does not hold up a short one.
  const tasks = chunks.map(({ index }) => ({
    data: { transcriptionId: id, index } satisfies ChunkTask,
    lane,
    position: index,
  }));
  await queue.send(tx, stepQueues.recognise.name, tasks);
}
