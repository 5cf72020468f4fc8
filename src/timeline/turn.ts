import type { SpeechSpan } from './span.ts';

export type Speaker = number | string;

/** A stretch in which one person speaks. */
export interface SpeakerTurn extends SpeechSpan {
  speaker: Speaker;
}
