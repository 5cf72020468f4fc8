import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { RecognisedUtterance } from '../../timeline/utterance.ts';

export interface RecognizerInput {
  /** From `chunk.startSample` to `chunk.endSample`, between -1 and 1. */
  samples: Float32Array;
  chunk: Chunk;
  language: string | null;
  /** Into English. */
  translate?: boolean | undefined;
  /** Names and terms that may be spoken. */
  keywords?: readonly string[] | undefined;
  signal: AbortSignal;
}

/** What every engine implements. It runs in a speech process. */
export interface Recognizer {
  readonly id: string;
  /** Whether it can write in English what is spoken in another language. */
  readonly translates?: boolean;
  recognise(input: RecognizerInput): Promise<RecognisedUtterance[]>;
  /** Frees its memory, where that can be done before the process ends. */
  release?(): Promise<void>;
}

export interface LanguageGuess {
  language: string;
  probability: number;
}

export interface LanguageDetector {
  /** Likeliest first. */
  detectLanguages(input: RecognizerInput): Promise<LanguageGuess[]>;
}
