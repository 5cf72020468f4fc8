import type { Database } from '../../platform/database/database.ts';
import type { TaskQueue } from '../../platform/queue/queue.ts';
import type { Speech } from '../../speech/speech.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import { chunkAudio } from '../audio/chunk-audio.ts';
import type { JobNotes } from '../trace/job-notes.ts';
import { expectationsOf } from '../transcription.ts';
import { transcriptionStore } from '../transcription-store.ts';
import { chunkStore } from './chunk-store.ts';
import { type ChunkTask, stepQueues } from './steps.ts';

export interface RecogniseDeps {
  db: Database;
  queue: TaskQueue;
  stores: ObjectStores;
  speech: Speech;
  notes?: JobNotes | undefined;
}

/** One chunk from audio to text. The one that finishes the last chunk queues the finish, in the same transaction. */
export async function recognise(
  deps: RecogniseDeps,
  { transcriptionId, index }: ChunkTask,
  signal: AbortSignal,
): Promise<void> {
  const { db, queue, speech } = deps;
  const job = await transcriptionStore.findProcessing(db, transcriptionId);
  const chunk = await chunkStore.findWaiting(db, transcriptionId, index);
  if (!job?.audio || !chunk) return;
  const audio = await chunkAudio(deps.stores, job.audio, chunk);
  const options = {
    engine: job.options.engine,
    language: chunk.language ?? job.options.language,
    // A language of the chunk's own was found out, too.
    otherLanguages: chunk.language !== undefined || job.options.languageIsFound === true,
    translate: job.options.task === 'translate',
    ...expectationsOf(job.options),
    speakers: job.options.speakerDiarization,
  };
  const result = await speech.recognise(audio, chunk, options, signal);
  signal.throwIfAborted();
  const wasLast = await db.transaction(async (tx) => {
    if (!(await chunkStore.markDone(tx, transcriptionId, index, result))) return false;
    const left = await transcriptionStore.countChunkDone(tx, transcriptionId);
    if (left !== 0) return false;
    await queue.send(tx, stepQueues.finish.name, [{ data: { transcriptionId }, lane: job.lane }]);
    return true;
  });
  deps.notes?.recognised((chunk.endSample - chunk.startSample) / sampleRate);
  if (wasLast) queue.wake(stepQueues.finish.name);
}
