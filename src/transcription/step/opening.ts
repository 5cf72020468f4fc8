import type { Database } from '../../platform/database/database.ts';
import type { TaskQueue } from '../../platform/queue/queue.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import { languageBeyondDoubt } from '../../speech/recognizer/language/language-vote.ts';
import type { FoundSpeech, Speech } from '../../speech/speech.ts';
import { workKey } from '../../storage/object-key.ts';
import type { ObjectStores } from '../../storage/object-store.ts';
import { type Chunk, chunkPlan } from '../../timeline/chunk-plan.ts';
import { bytesPerSample } from '../../timeline/pcm-samples.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import type { AudioObject } from '../transcription.ts';
import { type RunningTranscription, transcriptionStore } from '../transcription-store.ts';
import { guessLanguages, isLanguageOpen } from './decide-language.ts';
import { queueChunks } from './queue-chunks.ts';
import { stepQueues } from './steps.ts';

export interface OpeningDeps {
  db: Database;
  queue: TaskQueue;
  stores: ObjectStores;
  speech: Speech;
  engine: string;
  logger: Logger;
}

/** A shorter recording is heard whole within a few seconds. */
const recordingSecondsMin = 600;
/** So much is kept in memory until somebody speaks; a longer silence costs the early words. */
const keptSamplesMax = 660 * sampleRate;
/** The last chunks of a plan may be cut otherwise when more has been heard. */
const chunksUndecided = 3;

/**
 * The first minutes of a long recording. Their audio, chunks and tasks are there while the rest is still decoded, so that
 * the first words do not wait for it. It happens once in a job: whoever decodes the recording again goes on behind it.
 */
export class Opening {
  readonly #deps: OpeningDeps;
  readonly #job: RunningTranscription;
  readonly #signal: AbortSignal;
  #kept: Buffer[] | undefined;
  #keptBytes = 0;
  #queued: Promise<void> = Promise.resolve();

  /** `statedSeconds` 0: the recording does not say how long it is. */
  constructor(
    deps: OpeningDeps,
    job: RunningTranscription,
    { statedSeconds, signal }: { statedSeconds: number; signal: AbortSignal },
  ) {
    this.#deps = deps;
    this.#job = job;
    this.#signal = signal;
    const isLong = statedSeconds === 0 || statedSeconds >= recordingSecondsMin;
    if (isLong && job.audio === null) this.#kept = [];
  }

  /** The next samples of the recording. */
  add(samples: Buffer): void {
    if (!this.#kept || this.#keptBytes >= keptSamplesMax * bytesPerSample) return;
    this.#kept.push(samples);
    this.#keptBytes += samples.length;
  }

  /** So much has been found; returns at once. */
  heard({ spans, totalSamples }: FoundSpeech): void {
    if (!this.#kept) return;
    const isTooLate = totalSamples > keptSamplesMax;
    const chunks = isTooLate ? [] : chunkPlan(spans, totalSamples).slice(0, -chunksUndecided);
    if (chunks.length === 0 && !isTooLate) return;
    const samples = this.#kept;
    this.#kept = undefined;
    if (chunks.length === 0) return;
    this.#queued = this.#queue(chunks, samples).catch((error) => {
      if (this.#signal.aborted) return;
      this.#deps.logger.warn(
        { err: error, job: this.#job.id },
        'the beginning of a recording could not be queued; it waits for the rest',
      );
    });
  }

  /** Nothing of it is under way any more. */
  async settled(): Promise<void> {
    this.#kept = undefined;
    await this.#queued;
  }

  async #queue(chunks: readonly Chunk[], samples: readonly Buffer[]): Promise<void> {
    const { db, queue, stores, engine } = this.#deps;
    const audio = Buffer.concat(samples).subarray(0, (chunks.at(-1)?.endSample ?? 0) * bytesPerSample);
    const language = await this.#language(chunks, audio);
    if (language === undefined) return;
    const { id } = this.#job;
    const object: AudioObject = { storage: stores.current.id, key: workKey(id, 'opening.s16le') };
    await stores.current.write(object.key, audio);
    this.#signal.throwIfAborted();
    const wasFirst = await db.transaction(async (tx) => {
      const isFirst = await transcriptionStore.markOpened(tx, id, { audio: object, engine });
      const decided = chunks.map((chunk) => (language === null ? chunk : { ...chunk, language }));
      if (isFirst) await queueChunks(queue, tx, this.#job, decided);
      return isFirst;
    });
    if (wasFirst) queue.wake(stepQueues.recognise.name);
    else if (!(await transcriptionStore.findProcessing(db, id))) await stores.current.delete(object.key);
  }

  /** Null: the job's own. Undefined: in doubt, which only the whole recording can resolve. */
  async #language(chunks: readonly Chunk[], audio: Buffer): Promise<string | null | undefined> {
    const { speech, engine } = this.#deps;
    if (!isLanguageOpen(this.#job.options.language, engine)) return null;
    const read = async ({ startSample, endSample }: Chunk) =>
      audio.subarray(startSample * bytesPerSample, endSample * bytesPerSample);
    return languageBeyondDoubt(await guessLanguages(speech, chunks, read, this.#signal));
  }
}
