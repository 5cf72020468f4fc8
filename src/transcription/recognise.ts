import { buffer } from 'node:stream/consumers';
import type { Database } from '../platform/database.ts';
import type { TaskQueue } from '../platform/queue.ts';
import type { Chunk } from '../speech/chunk-plan.ts';
import type { Speech } from '../speech/speech.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { chunkStore } from './chunk-store.ts';
import { type ChunkTask, finishQueue } from './queues.ts';
import type { AudioObject } from './transcription.ts';
import { transcriptionStore } from './transcription-store.ts';

export interface RecogniseDeps {
  db: Database;
  queue: TaskQueue;
  stores: ObjectStores;
  speech: Speech;
  /** Which recognizer; `auto` picks by language. */
  engine: string;
}

const bytesPerSample = 2;

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
    engine: deps.engine,
    language: job.options.language,
    speakers: job.options.speakerDiarization,
  };
  const result = await speech.recognise(audio, chunk, options, signal);
  signal.throwIfAborted();
  const wasLast = await db.transaction(async (tx) => {
    if (!(await chunkStore.markDone(tx, transcriptionId, index, result))) return false;
    const left = await transcriptionStore.countChunkDone(tx, transcriptionId);
    if (left !== 0) return false;
    await queue.send(tx, finishQueue.name, [{ data: { transcriptionId } }]);
    return true;
  });
  if (wasLast) queue.wake(finishQueue.name);
}

async function chunkAudio(stores: ObjectStores, audio: AudioObject, chunk: Chunk): Promise<Buffer> {
  const store = stores.get(audio.storage);
  if (!store) throw new Error(`the storage ${audio.storage} is not configured on this machine`);
  const range = { start: chunk.startSample * bytesPerSample, end: chunk.endSample * bytesPerSample - 1 };
  const samples = await buffer(await store.read(audio.key, range));
  const expected = range.end - range.start + 1;
  if (samples.length !== expected)
    throw new Error(`the audio of a chunk has ${samples.length} of ${expected} bytes`);
  return samples;
}
