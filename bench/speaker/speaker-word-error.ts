/**
 * Concatenated-permutation word error rate: each speaker's words are joined in order, speakers are paired so that the
 * fewest words are wrong, and words given to the wrong person count as errors twice: missing there, extra here.
 */

import { comparableWords, editDistance } from '../speech/word-error-rate.ts';
import { cheapestAssignment } from './assignment.ts';

export interface SpokenText {
  speaker: string;
  text: string;
}

export interface SpeakerWordError {
  referenceWords: number;
  wrongWords: number;
}

function streams(texts: readonly SpokenText[]): string[][] {
  const bySpeaker = new Map<string, string[]>();
  for (const { speaker, text } of texts) {
    bySpeaker.set(speaker, [...(bySpeaker.get(speaker) ?? []), ...comparableWords(text)]);
  }
  return [...bySpeaker.values()];
}

export function speakerWordError(
  reference: readonly SpokenText[],
  hypothesis: readonly SpokenText[],
): SpeakerWordError {
  const said = streams(reference);
  const found = streams(hypothesis);
  const size = Math.max(said.length, found.length);
  // A speaker without a partner is compared with silence.
  const costs = Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_unused, column) => editDistance(said[row] ?? [], found[column] ?? [])),
  );
  const pairs = cheapestAssignment(costs);
  const wrongWords = pairs.reduce((sum, column, row) => sum + (costs[row]?.[column] ?? 0), 0);
  return { referenceWords: said.reduce((sum, words) => sum + words.length, 0), wrongWords };
}
