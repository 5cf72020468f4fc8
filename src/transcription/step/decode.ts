import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { decode, type Truncation } from '../../media/decode.ts';
import { MediaFailure } from '../../media/media-failure.ts';
import { type MediaPrograms, probe } from '../../media/probe.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { DiskReservation } from '../../platform/disk/disk-budget.ts';
import type { ScratchDirectory } from '../../platform/disk/scratch-directory.ts';
import type { TaskQueue } from '../../platform/queue/queue.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import type { FoundSpeech, Speech } from '../../speech/speech.ts';
import { playbackPrefixOf, workKey, workPrefixOf } from '../../storage/object-key.ts';
import {
  NoSuchObject,
  ObjectChanged,
  type ObjectStores,
  StorageUnavailable,
} from '../../storage/object-store.ts';
import { readObject } from '../../storage/read-object.ts';
import { type Chunk, chunkPlan } from '../../timeline/chunk-plan.ts';
import { bytesPerSample } from '../../timeline/pcm-samples.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import { type Playback, PlaybackMaker } from '../audio/playback.ts';
import { playbackStore } from '../audio/playback-store.ts';
import { removeWorkObject } from '../audio/work-object.ts';
import type { AudioObject, MediaObject, TranscriptionOptions } from '../transcription.ts';
import { type RunningTranscription, transcriptionStore } from '../transcription-store.ts';
import { chunkStore } from './chunk-store.ts';
import { decideLanguage } from './decide-language.ts';
import { embedKnownSpeakers } from './embed-known-speakers.ts';
import { Opening } from './opening.ts';
import { queueChunks } from './queue-chunks.ts';
import { StageReport } from './stage-report.ts';
import { type JobTask, stepQueues } from './steps.ts';

/** Decoded audio: signed 16-bit samples. */
const bytesPerSecond = bytesPerSample * sampleRate;

export interface DecodeDeps {
  db: Database;
  clock: Clock;
  queue: TaskQueue;
  stores: ObjectStores;
  speech: Speech;
  programs: MediaPrograms;
  /** Which recognizer new jobs get; `auto` picks by language. */
  engine: string;
  /** Where a job may keep files while it is worked on. */
  scratch: ScratchDirectory;
  logger: Logger;
}

interface HeardRecording extends FoundSpeech {
  truncated: Truncation | null;
  playback: Playback;
}

/** From a job's media to its audio in the store and its plan of chunks. Repeating it after success changes nothing. */
export async function decodeMedia(
  deps: DecodeDeps,
  { transcriptionId }: JobTask,
  signal: AbortSignal,
): Promise<void> {
  const job = await transcriptionStore.findProcessing(deps.db, transcriptionId);
  if (!job || job.chunksTotal !== null) return;
  const media = job.source.kind === 'upload' ? job.source : job.media;
  if (!media) throw new Error('a link is to be decoded before it was fetched');
  const engine = job.audio ? job.options.engine : deps.engine;
  deps.speech.warmUp(engine, job.options.language);
  const report = new StageReport(deps, job.id);
  await deps.scratch.use(async (directory, reservation) => {
    const file = join(directory, 'media');
    await reservation.cover(media.sizeBytes);
    await copyMedia(deps, { job, media, file, report, reservation }, signal);
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
    await embedKnownSpeakers(deps, { id: job.id, directory }, signal);
    // Of this attempt or of one before: what is queued already stays as it is.
    const opening = await chunkStore.plans(deps.db, job.id);
    const rest = chunkPlan(found.spans, found.totalSamples, opening.at(-1));
    const wanted = { language: job.options.language, audio, chunks: [...opening, ...rest] };
    const language = await decideLanguage({ ...deps, engine }, wanted, signal);
    await report.settled();
    // A job that an earlier release moved or restored still has the language that was found before.
    const languageIsFound = job.options.language === null || job.options.languageIsFound === true;
    const options = { engine, language, languageIsFound };
    const plan = { audio, found, rest, chunks: wanted.chunks.length, options };
    const isStored = await storePlan(deps, job, plan);
    // Ended or deleted meanwhile: nobody else knows of these objects.
    if (!isStored && !(await transcriptionStore.findProcessing(deps.db, job.id))) {
      await deps.stores.current.deleteAll(workPrefixOf(job.id));
      const isGone = (await transcriptionStore.ownerOf(deps.db, job.id)) === undefined;
      if (isGone) await deps.stores.current.deleteAll(playbackPrefixOf(job.id));
    }
  });
  if (job.media) await removeWorkObject(deps, job.id, job.media);
}

/** The programs that read media want a file. Of a link the owner was told before that it is fetched. */
async function copyMedia(
  { stores }: DecodeDeps,
  {
    job,
    media,
    file,
    report,
    reservation,
  }: {
    job: RunningTranscription;
    media: MediaObject;
    file: string;
    report: StageReport;
    reservation: DiskReservation;
  },
  signal: AbortSignal,
): Promise<void> {
  const isUpload = job.source.kind === 'upload';
  if (isUpload) await report.enter('fetching');
  const tell = (bytes: number) => {
    reservation.written(bytes);
    if (isUpload) report.progress(bytes, media.sizeBytes);
  };
  try {
    const object = counting(readObject(stores, media, { etag: media.etag }), tell);
    await pipeline(object, createWriteStream(file, { mode: 0o600 }), { signal });
  } catch (error) {
    if (error instanceof NoSuchObject) throw new MediaFailure('upload_gone', { cause: error });
    if (error instanceof ObjectChanged) throw new MediaFailure('upload_changed', { cause: error });
    throw error;
  }
}

/** Reads the decoded samples once: into the store, and through voice activity. Neither waits for a whole file. */
async function decodeAndListen(
  deps: DecodeDeps,
  job: RunningTranscription,
  { file, audio, report }: { file: string; audio: AudioObject; report: StageReport },
  signal: AbortSignal,
): Promise<HeardRecording> {
  const { programs, speech, stores } = deps;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const probed = await probe(programs, file, { signal });
  const statedSeconds = probed.audio.durationSeconds ?? probed.durationSeconds ?? 0;
  const totalBytes = statedSeconds * bytesPerSecond;
  const decoded = decode(programs, file, {
    durationSecondsMax: job.options.mediaSecondsMax,
    probed,
    signal: either,
  });
  const player = await PlaybackMaker.start(deps, { id: job.id, source: job.source, probed }, either);
  const opening = new Opening(deps, job, { statedSeconds, signal: either });
  const samples = counting(shownTo(player, opening, decoded.audio), (bytes) =>
    report.progress(bytes, totalBytes),
  );
  const copy = new PassThrough();
  copy.on('error', () => {}); // Who reads or writes it hears of the fault; without a listener it would end the process.
  const expectedBytes = Math.min(totalBytes, job.options.mediaSecondsMax * bytesPerSecond);
  const stored = stores.current.write(audio.key, copy, Math.ceil(expectedBytes));
  const heard = speech.findSpeech(copiedTo(copy, samples), either, (soFar) => opening.heard(soFar));
  try {
    const [found] = await Promise.all([heard, stored]);
    await opening.settled();
    const { truncated } = await decoded.finished;
    return { ...found, truncated, playback: await player.finish() };
  } catch (error) {
    stop.abort(error);
    copy.destroy(error as Error);
    const [, storing] = await Promise.allSettled([heard, stored, player.abandon(), opening.settled()]);
    // A store that is away also breaks the reading, which may be told first.
    throw storing.status === 'rejected' && storing.reason instanceof StorageUnavailable
      ? storing.reason
      : error;
  }
}

async function* shownTo(
  player: PlaybackMaker,
  opening: Opening,
  audio: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  for await (const samples of audio) {
    opening.add(samples);
    await player.add(samples);
    yield samples;
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

interface DecodedMedia {
  audio: AudioObject;
  found: HeardRecording;
  /** What the opening left. */
  rest: Chunk[];
  /** In all. */
  chunks: number;
  options: Pick<TranscriptionOptions, 'engine' | 'language' | 'languageIsFound'>;
}

/** The plan, the job's length and the tasks appear together. False when the job has a plan already, or has ended. */
async function storePlan(
  { db, queue }: DecodeDeps,
  job: RunningTranscription,
  { audio, found, rest, chunks, options }: DecodedMedia,
): Promise<boolean> {
  const left = await db.transaction(async (tx) => {
    const chunksLeft = await transcriptionStore.markDecoded(tx, job.id, {
      durationSeconds: found.totalSamples / sampleRate,
      audio,
      chunks,
      options,
      notes: found.truncated ? ['truncated'] : [],
    });
    if (chunksLeft === undefined) return undefined;
    await playbackStore.put(tx, job.id, found.playback);
    await queueChunks(queue, tx, job, rest);
    if (chunksLeft === 0)
      await queue.send(tx, stepQueues.finish.name, [
        { data: { transcriptionId: job.id } satisfies JobTask, lane: job.lane },
      ]);
    return chunksLeft;
  });
  if (left !== undefined) queue.wake(left > 0 ? stepQueues.recognise.name : stepQueues.finish.name);
  return left !== undefined;
}
