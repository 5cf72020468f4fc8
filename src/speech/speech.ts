import type { Chunk } from '../timeline/chunk-plan.ts';
import type { SpeechSpan } from '../timeline/span.ts';
import type { SpeakerTurn } from '../timeline/turn.ts';
import type { ChunkResult, RecogniseOptions, SpeakerEmbeddings, SpeakerEvidence } from './chunk-result.ts';
import type { LanguageGuess } from './recognizer/recognizer.ts';
import type { SpeakerCount } from './speaker/cluster/speaker-clusters.ts';

/** What the rest of Longhand asks of speech recognition; `SpeechPool` answers it with processes on this machine. */
export interface Speech {
  /**
   * Reads the recording once, as it is decoded (signed 16-bit little-endian, 16 kHz, mono), with bounded memory. `heard`
   * is told now and then what has been found up to there.
   */
  findSpeech(
    audio: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
    heard?: (soFar: FoundSpeech) => void,
  ): Promise<FoundSpeech>;
  /** A job of this kind comes: models are loaded while its media is fetched. `language` null: not known yet. */
  warmUp(engine: string, language: string | null): void;
  /** `audio` holds exactly the samples from `chunk.startSample` to `chunk.endSample`. */
  recognise(
    audio: Uint8Array,
    chunk: Chunk,
    options: RecogniseOptions,
    signal: AbortSignal,
  ): Promise<ChunkResult>;
  /** The likeliest language of each of these chunks. */
  detectLanguages(chunks: readonly ChunkAudio[], signal: AbortSignal): Promise<LanguageGuess[]>;
  /** Evidence of the speakers of a chunk alone, without its text. */
  embedSpeakers(audio: Uint8Array, chunk: Chunk, signal: AbortSignal): Promise<SpeakerEvidence>;
  /** Who speaks when, from the embeddings of all chunks, in order of time. */
  joinSpeakers(evidence: SpeakerEmbeddings, count: SpeakerCount, signal: AbortSignal): Promise<SpeakerTurn[]>;
  close(): Promise<void>;
}

/** A chunk with its samples. */
export interface ChunkAudio {
  audio: Uint8Array;
  chunk: Chunk;
}

export interface FoundSpeech {
  spans: SpeechSpan[];
  totalSamples: number;
}

/** `transient`: the same request may succeed on another attempt (a process died, a limit was hit under load). */
export class SpeechError extends Error {
  readonly transient: boolean;

  constructor(message: string, options: { transient: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'SpeechError';
    this.transient = options.transient;
  }
}

/** No attempt can give it: such jobs are refused when they are created, unless its settings are not those of the worker. */
export function cannotTranslate(engine: string): SpeechError {
  return new SpeechError(`${engine} cannot translate into English`, { transient: false });
}

/** The process ended, went over its memory or did not answer in time, whatever the cause; the request may be tried again. */
export class SpeechProcessDied extends SpeechError {
  constructor(message: string, cause?: unknown) {
    super(message, { transient: true, cause });
    this.name = 'SpeechProcessDied';
  }
}

/** What recognises the speech is not on this machine, and cannot be reached or takes no work for now. */
export class EngineUnavailable extends SpeechError {
  /** How long it asked us to wait; 0 when it did not. */
  readonly retryAfterMs: number;

  constructor(message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { transient: true, cause: options.cause });
    this.name = 'EngineUnavailable';
    this.retryAfterMs = options.retryAfterMs ?? 0;
  }
}

/** This machine lacks a model that the request needs; another may have it. */
export class ModelMissing extends SpeechError {
  readonly model: string;

  constructor(model: string) {
    super(`the model ${model} is not installed; run: longhand models install ${model}`, { transient: false });
    this.name = 'ModelMissing';
    this.model = model;
  }
}
