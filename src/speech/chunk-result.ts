import type { ChineseScript } from '../contract/language.ts';
import type { SpeechSpan } from '../timeline/span.ts';
import type { RecognisedUtterance } from '../timeline/utterance.ts';

/** What a task says about its job; stored with the job and given again to every chunk and every repetition. */
export interface RecogniseOptions {
  /** An engine's id, or `auto`: chosen by language. */
  engine: string;
  /** BCP 47 primary language, for example `en`; null: found out for each chunk. */
  language: string | null;
  /** Whether stretches in other languages are recognised in theirs; false: the caller is sure of the language. */
  otherLanguages?: boolean;
  /** English text of what is spoken in another language, where the engine can. */
  translate?: boolean;
  /** Names and terms that may be spoken. */
  keywords?: readonly string[];
  /** What the caller says about the recording; for engines elsewhere. */
  prompt?: string;
  /** Of Chinese text; Simplified unless told. */
  chineseScript?: ChineseScript;
  /** Numbers stay in words where they were recognised so. */
  verbatim?: boolean;
  /** Whether evidence for telling speakers apart is wanted. */
  speakers: boolean;
}

/** The embedding of the voice in one short window of audio. */
export interface SpeakerWindow extends SpeechSpan {
  /** By `embeddingText`. */
  voice: string;
}

/** Why nothing is known about the speakers of a chunk or of a job. */
export type SpeakerFault = 'no-model' | 'mixed-models' | 'too-little-speech' | 'time-limit' | 'error';

export interface SpeakerEmbeddings {
  /** Embeddings of different models cannot be compared. */
  model: string;
  /** The windows are turns that the model found, and two people may speak at once. */
  overlapping: boolean;
  windows: SpeakerWindow[];
}

/** What a chunk tells about its speakers; they are joined over the whole recording when all chunks are done. */
export type SpeakerEvidence = SpeakerEmbeddings | { fault: SpeakerFault; detail: string };

/** What is stored for a recognised chunk. Plain JSON; every time is a sample of the whole recording. */
export interface ChunkResult {
  /** What recognised it, for example `moonshine-base`. */
  engine: string;
  utterances: RecognisedUtterance[];
  /** Present where the task asked for speakers. */
  speakers?: SpeakerEvidence;
}
