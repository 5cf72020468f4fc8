import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { labelOf } from '../contract/label.ts';
import { decode, type Truncation } from '../media/decode.ts';
import { MediaFailure } from '../media/media-failure.ts';
import { type MediaPrograms, probe } from '../media/probe.ts';
import type { LinkSources } from '../media/resolve.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/database.ts';
import type { TaskQueue } from '../platform/queue.ts';
import type { ScratchDirectory } from '../platform/scratch-directory.ts';
import type { Logger } from '../platform/telemetry.ts';
import type { FoundSpeech, Speech } from '../speech/speech.ts';
import { workKey } from '../storage/object-key.ts';
import { NoSuchObject, ObjectChanged, type ObjectStores } from '../storage/object-store.ts';
import { type Chunk, chunkPlan } from '../timeline/chunk-plan.ts';
import { sampleRate } from '../timeline/sample-rate.ts';
import { chunkStore } from './chunk-store.ts';
import { decideLanguage } from './decide-language.ts';
import { type ChunkTask, finishQueue, type JobTask, recogniseQueue } from './queues.ts';
import { StageReport } from './stage-report.ts';
import type { AudioObject, ProcessingTranscription } from './transcription.ts';
import { transcriptionStore } from './transcription-store.ts';

/** Decoded audio: signed 16-bit samples. */
const bytesPerSecond = 2 * sampleRate;

export interface AcquireDeps {
  db: Database;
  clock: Clock;
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
  const report = new StageReport(deps, job.id);
  await deps.scratch.use(async (directory) => {
    await report.enter('fetching');
    const { file, label } = await sourceFile(deps, job, directory, { report, signal });
    await report.enter('decoding');
    const audio: AudioObject = { storage: deps.stores.current.id, key: workKey(job.id, 'audio.s16le') };
    const found = await decodeAndListen(deps, job, { file, audio, report }, signal);
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
    await report.settled();
    const isStored = await storePlan(deps, job, { audio, label, found, chunks, language });
    // Ended or deleted meanwhile: nobody else knows of this object.
    if (!isStored && !(await transcriptionStore.findProcessing(deps.db, job.id)))
      await storeOf(deps.stores, audio).delete(audio.key);
  });
}

async function sourceFile(
  { stores, sources }: AcquireDeps,
  job: ProcessingTranscription,
  directory: string,
  { report, signal }: { report: StageReport; signal: AbortSignal },
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
    const object = await storeOf(stores, source).read(source.key, { etag: source.etag });
    const counted = counting(object, (bytes) => report.progress(bytes, source.sizeBytes));
    await pipeline(counted, createWriteStream(file, { mode: 0o600 }), { signal });
  } catch (error) {
    if (error instanceof NoSuchObject) throw new MediaFailure('upload_gone', { cause: error });
    if (error instanceof ObjectChanged) throw new MediaFailure('upload_changed', { cause: error });
    throw error;
  }
  return { file, label: job.filename };
}

/** Reads the decoded samples once: into the store, and through voice activity. Neither waits for a whole file. */
async function decodeAndListen(
  { programs, speech, stores }: AcquireDeps,
  job: ProcessingTranscription,
  { file, audio, report }: { file: string; audio: AudioObject; report: StageReport },
  signal: AbortSignal,
): Promise<HeardRecording> {
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const probed = await probe(programs, file, { signal });
  const totalBytes = (probed.audio.durationSeconds ?? probed.durationSeconds ?? 0) * bytesPerSecond;
  const decoded = decode(programs, file, {
    durationSecondsMax: job.options.mediaSecondsMax,
    probed,
    signal: either,
  });
  const samples = counting(decoded.audio, (bytes) => report.progress(bytes, totalBytes));
  const copy = new PassThrough();
  copy.on('error', () => {}); // Who reads or writes it hears of the fault; without a listener it would end the process.
  const stored = storeOf(stores, audio).write(audio.key, copy);
  const heard = speech.findSpeech(copiedTo(copy, samples), either);
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

/** Passes everything on, and tells how much has passed. */
async function* counting(
  stream: AsyncIterable<Buffer>,
  tell: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    tell(bytes);
    yield part;
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
  found: HeardRecording;
  chunks: Chunk[];
  language: string | null;
}

/** The plan, the job's length and the tasks appear together. False when the job has a plan already, or has ended. */
async function storePlan(
  { db, queue, engine }: AcquireDeps,
  job: ProcessingTranscription,
  { audio, label, found, chunks, language }: Acquired,
): Promise<boolean> {
  const wasFirst = await db.transaction(async (tx) => {
    const isFirst = await transcriptionStore.markAcquired(tx, job.id, {
      durationSeconds: found.totalSamples / sampleRate,
      audio,
      filename: labelOf(label, job.filename),
      chunks: chunks.length,
      options: { engine, language },
      notes: found.truncated ? ['truncated'] : [],
    });
    if (!isFirst) return false;
    await chunkStore.insertAll(tx, job.id, chunks);
    // Early chunks of a new job go before late chunks of an old one: a long file does not hold up a short one.
    const tasks = chunks.map(({ index }) => ({
      data: { transcriptionId: job.id, index } satisfies ChunkTask,
      priority: -index,
    }));
    await queue.send(tx, recogniseQueue.name, tasks);
    if (chunks.length === 0) await queue.send(tx, finishQueue.name, [{ data: { transcriptionId: job.id } }]);
    return true;
  });
  if (wasFirst) queue.wake(chunks.length > 0 ? recogniseQueue.name : finishQueue.name);
  return wasFirst;
}

function storeOf(stores: ObjectStores, { storage }: Pick<AudioObject, 'storage'>) {
  const store = stores.get(storage);
  if (!store) throw new Error(`the storage ${storage} is not configured on this machine`);
  return store;
}
