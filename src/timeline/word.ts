import type { SpeechSpan } from './span.ts';

/** `text` keeps the space before it, so that words of scripts without spaces join without seams. */
export interface TimedWord extends SpeechSpan {
  text: string;
  /** How sure the engine is of it, from 0 to 1, where it tells. */
  confidence?: number;
}

/** The geometric mean over the words; undefined where the engine did not tell. */
export function meanConfidence(words: readonly Pick<TimedWord, 'confidence'>[]): number | undefined {
  let sum = 0;
  for (const { confidence } of words) {
    if (confidence === undefined) return undefined;
    sum += Math.log(Math.max(confidence, 1e-4));
  }
  return words.length === 0 ? undefined : Math.exp(sum / words.length);
}
