import type { SpeechSpan, Utterance } from './chunk-plan.ts';

/** What a task says about its job; stored with the job and given again to every chunk and every repetition. */
export interface RecogniseOptions {
  /** An engine's id, or `auto`: chosen by language. */
  engine: string;
  /** BCP 47 primary language, for example `en`; null: found out for each chunk. */
  language: string | null;
  /** Whether evidence for telling speakers apart is wanted. */
  speakers: boolean;
}

/** `text` keeps the space before it, so that words of scripts without spaces join without seams. */
export interface TimedWord extends SpeechSpan {
  text: string;
}

export interface RecognisedUtterance extends Utterance {
  text: string;
  language: string | null;
  /** Present where the engine gives times for words. */
  words?: TimedWord[];
}

/** The voice of one short window, as a vector of unit length. */
export interface SpeakerWindow extends SpeechSpan {
  embedding: number[];
}

/** What is stored for a recognised chunk. Plain JSON; every time is a sample of the whole recording. */
export interface ChunkResult {
  /** The engine that spoke, for example `moonshine-base`. */
  engine: string;
  utterances: RecognisedUtterance[];
  speakerWindows?: SpeakerWindow[];
}
