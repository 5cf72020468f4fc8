/**
 * What a speech process and its parent say to each other. Requests are handled one after the other; each is answered
 * once, under its id.
 */

import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { SpeakerTurn } from '../../timeline/turn.ts';
import type { ChunkResult, RecogniseOptions, SpeakerEmbeddings } from '../chunk-result.ts';
import type { LanguageGuess } from '../recognizer/recognizer.ts';
import type { SpeakerCount } from '../speaker/cluster/speaker-clusters.ts';
import type { ChunkAudio } from '../speech.ts';
import type { BlockActivity } from '../voice/voice-block.ts';

/** How a speech process is set up; passed as its one argument. */
export interface SpeechProcessSettings {
  modelsDirectory: string;
  /** The model that recognises other languages than English with the engine `auto`. */
  otherLanguages: string;
  /** Numbers of all jobs stay in words where they were recognised so. */
  verbatim: boolean;
  /** 0 is the priority of the service itself; 10 is well below it. */
  niceness: number;
  /** The process ends itself when its resident memory is above this. */
  memoryBytesMax: number;
}

export type SpeechRequest =
  | { type: 'recognise'; id: number; audio: Uint8Array; chunk: Chunk; options: RecogniseOptions }
  | { type: 'detect-languages'; id: number; chunks: readonly ChunkAudio[] }
  | { type: 'join-speakers'; id: number; evidence: SpeakerEmbeddings; count: SpeakerCount }
  | { type: 'detect-voice'; id: number; block: Uint8Array };

/** The request with this id is given up, whether it is under way or still waits. Not answered itself. */
export interface SpeechCancel {
  type: 'cancel';
  id: number;
}

/** Loads what a job of this kind will need, beside the request under way. Not answered. */
export interface SpeechWarmUp {
  type: 'warm-up';
  engine: string;
  language: string | null;
  /** This process will be asked for languages. */
  detector: boolean;
}

export type SpeechAnswer =
  | { type: 'recognised'; id: number; result: ChunkResult }
  | { type: 'languages-detected'; id: number; guesses: LanguageGuess[] }
  | { type: 'speakers-joined'; id: number; turns: SpeakerTurn[] }
  | { type: 'voice-detected'; id: number; activity: BlockActivity }
  | { type: 'failed'; id: number; message: string; transient: boolean; missingModel?: string };

/** The exit code by which a process says that it went over its memory. */
export const exitCodeMemory = 86;
