import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { labelOf } from '../contract/label.ts';
import { decode, type Truncation } from '../media/decode.ts';
import { MediaFailure } from '../media/media-failure.ts';
import type { MediaPrograms } from '../media/probe.ts';
import type { LinkSources } from '../media/resolve.ts';
import type { Database } from '../platform/database.ts';
import type { TaskQueue } from '../platform/queue.ts';
import type { ScratchDirectory } from '../platform/scratch-directory.ts';
import type { Logger } from '../platform/telemetry.ts';
import type { FoundSpeech, Speech } from '../speech/speech.ts';
import { workKey } from '../storage/object-key.ts';
import { NoSuchObject, type ObjectStores } from '../storage/object-store.ts';
import { type Chunk, chunkPlan } from '../timeline/chunk-plan.ts';
import { sampleRate } from '../timeline/sample-rate.ts';
import { chunkStore } from './chunk-store.ts';
import { decideLanguage } from './decide-language.ts';
import { type ChunkTask, finishQueue, type JobTask, recogniseQueue } from './queues.ts';
import type { AudioObject, Transcription } from './transcription.ts';
import { transcriptionStore } from './transcription-store.ts';

export interface AcquireDeps {
  db: Database;
  queue: TaskQueue;
  stores: ObjectStores;
  speech: Speech;
  programs: MediaPrograms;
  sources: LinkSources;
  /** Which recognizer new jobs get; `auto` picks by language. */
  engine: string;
  /** Where a job may keep files while it is worked on. */
  scratch: ScratchDirectory;
  logger: Logger;
}

interface HeardRecording extends FoundSpeech {
  truncated: Truncation | null;
}

/** From a job's source to its audio in the store and its plan of chunks. Repeating it after success changes nothing. */
export async function acquire(
  deps: AcquireDeps,
  { transcriptionId }: JobTask,
  signal: AbortSignal,
): Promise<void> {
  const job = await transcriptionStore.findProcessing(deps.db, transcriptionId);
  if (!job || job.chunksTotal !== null) return;
  deps.speech.warmUp(deps.engine, job.options.language);
  await deps.scratch.use(async (directory) => {
    const { file, label } = await sourceFile(deps, job, directory, signal);
    const audio: AudioObject = { storage: deps.stores.current.id, key: workKey(job.id, 'audio.s16le') };
    const found = await decodeAndListen(deps, job, file, audio, signal);
    if (found.truncated) {
      const decodedSeconds = found.totalSamples / sampleRate;
      deps.logger.info(
        { job: job.id, decodedSeconds, ...found.truncated },
        'a recording is cut off; what is there is transcribed',
      );
    }
    const chunks = chunkPlan(found.spans, found.totalSamples);
    const wanted = { language: job.options.language, audio, chunks };
    const language = await decideLanguage(deps, wanted, signal);
    await storePlan(deps, job, { audio, label, found, chunks, language });
  });
}

async function sourceFile(
  { stores, sources }: AcquireDeps,
  job: Transcription,
  directory: string,
  signal: AbortSignal,
): Promise<{ file: string; label: string }> {
  const { source } = job;
  if (source.kind === 'url') {
    return await sources.acquireSource(source.url, {
      directory,
      sizeBytesMax: job.options.fileBytesMax,
      durationSecondsMax: job.options.mediaSecondsMax,
      signal,
    });
  }
  const file = join(directory, 'media');
  try {
    const object = await storeOf(stores, source).read(source.key);
    await pipeline(object, createWriteStream(file, { mode: 0o600 }), { signal });
  } catch (error) {
    if (error instanceof NoSuchObject) throw new MediaFailure('media_not_found', { cause: error });
    throw error;
  }
  return { file, label: job.filename };
}

/** Reads the decoded samples once: into the store, and through voice activity. Neither waits for a whole file. */
async function decodeAndListen(
  { programs, speech, stores }: AcquireDeps,
  job: Transcription,
  file: string,
  audio: AudioObject,
  signal: AbortSignal,
): Promise<HeardRecording> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const decoded = decode(programs, file, { durationSecondsMax: job.options.mediaSecondsMax, signal: either });
  const copy = new PassThrough();
  copy.on('error', () => {}); // Who reads or writes it hears of the fault; without a listener it would end the process.
  const stored = storeOf(stores, audio).write(audio.key, copy);
  const heard = speech.findSpeech(copiedTo(copy, decoded.audio), either);
  try {
    const [found] = await Promise.all([heard, stored]);
    const { truncated } = await decoded.finished;
    return { ...found, truncated };
  } catch (error) {
    stop.abort(error);
    copy.destroy(error as Error);
    await Promise.allSettled([heard, stored]);
    throw error;
  }
}

async function* copiedTo(copy: PassThrough, audio: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    for await (const samples of audio) {
      if (!copy.write(samples)) await drained(copy);
      yield samples;
    }
    copy.end();
  } catch (error) {
    copy.destroy(error as Error);
    throw error;
  }
}

function drained(stream: PassThrough): Promise<void> {
  return new Promise((resolve, reject) => {
    const onClose = () => reject(stream.errored ?? new Error('the store stopped reading'));
    if (stream.destroyed) onClose();
    stream.once('close', onClose);
    stream.once('drain', () => {
      stream.off('close', onClose);
      resolve();
    });
  });
}

interface Acquired {
  audio: AudioObject;
  label: string;
  found: FoundSpeech;
  chunks: Chunk[];
  language: string | null;
}

/** The plan, the job's length and the tasks appear together. */
async function storePlan(
  { db, queue, engine }: AcquireDeps,
  job: Transcription,
  { audio, label, found, chunks, language }: Acquired,
): Promise<void> {
  await db.transaction(async (tx) => {
    const wasFirst = await transcriptionStore.markAcquired(tx, job.id, {
      durationSeconds: found.totalSamples / sampleRate,
      audio,
      filename: labelOf(label, job.filename),
      chunks: chunks.length,
      options: { engine, language },
    });
    if (!wasFirst) return;
    await chunkStore.insertAll(tx, job.id, chunks);
    // Early chunks of a new job go before late chunks of an old one: a long file does not hold up a short one.
    const tasks = chunks.map(({ index }) => ({
      data: { transcriptionId: job.id, index } satisfies ChunkTask,
      priority: -index,
    }));
    await queue.send(tx, recogniseQueue.name, tasks);
    if (chunks.length === 0) await queue.send(tx, finishQueue.name, [{ data: { transcriptionId: job.id } }]);
  });
  queue.wake(chunks.length > 0 ? recogniseQueue.name : finishQueue.name);
}

function storeOf(stores: ObjectStores, { storage }: Pick<AudioObject, 'storage'>) {
  const store = stores.get(storage);
  if (!store) throw new Error(`the storage ${storage} is not configured on this machine`);
  return store;
}
