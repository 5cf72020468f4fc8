import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { RecognisedUtterance } from '../../timeline/utterance.ts';

export interface RecognizerInput {
  /** From `chunk.startSample` to `chunk.endSample`, between -1 and 1. */
  samples: Float32Array;
  chunk: Chunk;
  language: string | null;
  signal: AbortSignal;
}

/** What every engine implements. It runs in a speech process. */
export interface Recognizer {
  readonly id: string;
  recognise(input: RecognizerInput): Promise<RecognisedUtterance[]>;
  /** Frees its memory, where that can be done before the process ends. */
  release?(): Promise<void>;
}

export interface LanguageGuess {
  language: string;
  probability: number;
}

export interface LanguageDetector {
  detectLanguage(input: RecognizerInput): Promise<LanguageGuess>;
}
