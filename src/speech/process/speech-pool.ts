/** A fixed number of speech processes and a queue in front of them. */

import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { SpeakerTurn } from '../../timeline/turn.ts';
import type { ChunkResult, RecogniseOptions, SpeakerEmbeddings, SpeakerEvidence } from '../chunk-result.ts';
import { otherLanguagesModel } from '../engine.ts';
import type { LanguageGuess } from '../recognizer/recognizer.ts';
import type { SpeakerCount } from '../speaker/cluster/speaker-clusters.ts';
import type { ChunkAudio, FoundSpeech, Speech } from '../speech.ts';
import { findSpeech } from '../voice/find-speech.ts';
import { retryAfterDeath } from './retry-after-death.ts';
import { retryWithoutSpeakers } from './retry-without-speakers.ts';
import { SpeechProcess } from './speech-process.ts';

export interface SpeechPoolOptions {
  /** How many requests run at once, each in a process of its own. */
  processes: number;
  /** `<data>/models`. */
  modelsDirectory: string;
  /** The model for other languages than English with the engine `auto`. */
  otherLanguages?: string;
  /** Numbers stay in words where they were recognised so. */
  verbatim?: boolean;
  logger: Logger;
  clock: Clock;
  /** Resident memory at which a process is ended. */
  memoryBytesMax?: number;
  /** A process that was not needed for this long is ended, and its memory given back. */
  idleMsMax?: number;
  niceness?: number;
}

const defaults = {
  memoryBytesMax: 3 * 2 ** 30,
  idleMsMax: 10 * 60_000,
  niceness: 10,
  otherLanguages: otherLanguagesModel,
  verbatim: false,
};

/** The text of a remote engine comes from elsewhere: only the speakers are embedded. */
const speakersOnly: RecogniseOptions = { engine: 'remote', language: null, speakers: true };

interface Slot {
  process: SpeechProcess | null;
  busy: boolean;
  idleSinceMs: number;
}

export class SpeechPool implements Speech {
  readonly #options: Required<SpeechPoolOptions>;
  readonly #slots: Slot[];
  readonly #waiting: ((slot: Slot) => void)[] = [];
  readonly #stopSweep: () => void;
  #closed = false;

  constructor(options: SpeechPoolOptions) {
    this.#options = { ...defaults, ...options };
    this.#slots = Array.from({ length: options.processes }, () => ({
      process: null,
      busy: false,
      idleSinceMs: 0,
    }));
    this.#stopSweep = options.clock.every(this.#options.idleMsMax / 4, () => this.#endIdle());
  }

  findSpeech(
    audio: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    heard?: (soFar: FoundSpeech) => void,
  ): Promise<FoundSpeech> {
    const detect = (block: Uint8Array) =>
      retryAfterDeath(() => this.#withProcess(signal, (process) => process.detectVoice(block)), signal);
    return findSpeech(audio, { detect, blocksAtOnce: this.#options.processes, heard });
  }

  warmUp(engine: string, language: string | null): void {
    if (this.#closed) return;
    for (const [i, slot] of this.#slots.entries()) {
      if (!slot.busy) slot.idleSinceMs = this.#options.clock.now();
      // The languages of a recording are detected by one process: the first that is free, which is most likely the first.
      this.#processOf(slot).warmUp({ engine, language, detector: language === null && i === 0 });
    }
  }

  recognise(
    audio: Uint8Array,
    chunk: Chunk,
    options: RecogniseOptions,
    signal: AbortSignal,
  ): Promise<ChunkResult> {
    const attempt = (own: RecogniseOptions) =>
      this.#withProcess(signal, (process) => process.recognise(audio, chunk, own, signal));
    return retryWithoutSpeakers(attempt, options, signal);
  }

  detectLanguages(chunks: readonly ChunkAudio[], signal: AbortSignal): Promise<LanguageGuess[]> {
    const attempt = () => this.#withProcess(signal, (process) => process.detectLanguages(chunks, signal));
    return retryAfterDeath(attempt, signal);
  }

  async embedSpeakers(audio: Uint8Array, chunk: Chunk, signal: AbortSignal): Promise<SpeakerEvidence> {
    const attempt = () =>
      this.#withProcess(signal, (process) => process.recognise(audio, chunk, speakersOnly, signal));
    const { speakers } = await retryAfterDeath(attempt, signal);
    return speakers ?? { fault: 'error', detail: 'the speech process gave no speakers' };
  }

  joinSpeakers(
    evidence: SpeakerEmbeddings,
    count: SpeakerCount,
    signal: AbortSignal,
  ): Promise<SpeakerTurn[]> {
    const attempt = () => this.#withProcess(signal, (process) => process.joinSpeakers(evidence, count));
    return retryAfterDeath(attempt, signal);
  }

  /** Requests under way are rejected; nothing of this pool runs when it resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopSweep();
    await Promise.all(this.#slots.map((slot) => slot.process?.close()));
  }

  async #withProcess<Result>(
    signal: AbortSignal,
    work: (process: SpeechProcess) => Promise<Result>,
  ): Promise<Result> {
    const slot = await this.#freeSlot(signal);
    if (signal.aborted) {
      this.#release(slot);
      throw signal.reason;
    }
    const done = this.#run(slot, work);
    done.then(
      () => this.#release(slot),
      () => this.#release(slot),
    );
    // A caller that gave up does not wait; the slot is free again when its process is.
    return abortable(done, signal);
  }

  async #run<Result>(slot: Slot, work: (process: SpeechProcess) => Promise<Result>): Promise<Result> {
    return work(this.#processOf(slot));
  }

  #processOf(slot: Slot): SpeechProcess {
    if (!slot.process || slot.process.hasEnded) slot.process = this.#start();
    return slot.process;
  }

  #start(): SpeechProcess {
    const { modelsDirectory, otherLanguages, verbatim, niceness, memoryBytesMax, clock, logger } =
      this.#options;
    const started = new SpeechProcess(
      { modelsDirectory, otherLanguages, verbatim, niceness, memoryBytesMax },
      clock,
    );
    started.exited.then(() => {
      const { failure } = started;
      if (failure) logger.warn({ reason: failure.message, output: failure.cause }, 'a speech process ended');
    });
    return started;
  }

  #freeSlot(signal: AbortSignal): Promise<Slot> {
    signal.throwIfAborted();
    if (this.#closed) throw new Error('the speech pool is closed');
    const free = this.#slots.find((slot) => !slot.busy);
    if (free) {
      free.busy = true;
      return Promise.resolve(free);
    }
    const { promise, resolve, reject } = Promise.withResolvers<Slot>();
    const onAbort = () => {
      this.#waiting.splice(this.#waiting.indexOf(grant), 1);
      reject(signal.reason);
    };
    const grant = (slot: Slot) => {
      signal.removeEventListener('abort', onAbort);
      resolve(slot);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.push(grant);
    return promise;
  }

  #release(slot: Slot): void {
    const next = this.#waiting.shift();
    if (next) {
      next(slot);
      return;
    }
    slot.busy = false;
    slot.idleSinceMs = this.#options.clock.now();
  }

  #endIdle(): void {
    for (const slot of this.#slots) {
      if (slot.busy || !slot.process) continue;
      if (this.#options.clock.now() - slot.idleSinceMs < this.#options.idleMsMax) continue;
      void slot.process.close();
      slot.process = null;
    }
  }
}

async function abortable<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
