import { sampleRate } from './sample-rate.ts';
import type { SpeechSpan } from './span.ts';
import type { TimedWord } from './word.ts';

/** From the first to the last word; `spans` are the voiced stretches inside, with the pauses between them left out. */
export interface Utterance extends SpeechSpan {
  spans: SpeechSpan[];
}

export interface RecognisedUtterance extends Utterance {
  text: string;
  language: string | null;
  /** Present where the engine gives times for words. */
  words?: TimedWord[];
  /** How sure the engine is of the text as a whole, from 0 to 1, where it tells. */
  confidence?: number;
  /** Somebody speaks, and no text for it can be believed. */
  isUnclear?: true;
}

/** How long somebody really speaks in it. */
export function voicedSeconds(utterances: readonly Utterance[]): number {
  const spans = utterances.flatMap((utterance) => utterance.spans);
  return spans.reduce((sum, span) => sum + span.endSample - span.startSample, 0) / sampleRate;
}
