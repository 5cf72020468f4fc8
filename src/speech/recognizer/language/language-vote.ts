/** The language of a recording, detected in several of its chunks and decided by vote. */

import type { Chunk } from '../../../timeline/chunk-plan.ts';
import { voicedSeconds } from '../../../timeline/utterance.ts';
import type { LanguageGuess } from '../recognizer.ts';

/** Below this a guess is a doubt, not a vote against the others. */
const probabilitySure = 0.8;

/**
 * The chunks that vote: spread over the whole recording, and of each stretch the one with the most speech. A vote
 * costs an eighth of a second in English and more than a second in other languages, so the number grows slowly:
 * 3 up to half an hour, 4 for an hour, 6 for ten hours.
 */
export function votingChunks(chunks: readonly Chunk[]): Chunk[] {
  const wanted = Math.min(9, Math.max(3, Math.round(Math.log2(chunks.length + 1) * 0.55)));
  const votes = Math.min(wanted, chunks.length);
  return Array.from({ length: votes }, (_, i) => {
    const from = Math.floor((i * chunks.length) / votes);
    const to = Math.max(from + 1, Math.floor(((i + 1) * chunks.length) / votes));
    return chunks.slice(from, to).reduce((best, chunk) => (voiced(chunk) > voiced(best) ? chunk : best));
  });
}

/** The language of the whole recording, or null when more than one is spoken: then it is detected for each chunk. */
export function languageByVote(guesses: readonly LanguageGuess[]): string | null {
  const sums = new Map<string, number>();
  for (const { language, probability } of guesses) {
    if (probability === 0) continue; // No model that could detect it is installed.
    sums.set(language, (sums.get(language) ?? 0) + probability);
  }
  const [winner] = [...sums].toSorted((a, b) => b[1] - a[1])[0] ?? [];
  if (winner === undefined) return null;
  const others = guesses.filter((guess) => guess.language !== winner && guess.probability >= probabilitySure);
  return others.length > 0 ? null : winner;
}

/**
 * The language of the beginning of a recording, while the rest is not known. Undefined where it is in doubt: then it has
 * to wait for the vote of the whole. Null when no model can detect it, so that waiting would not help.
 */
export function languageBeyondDoubt(guesses: readonly LanguageGuess[]): string | null | undefined {
  if (guesses.every(({ probability }) => probability === 0)) return null;
  const [{ language } = { language: '' }] = guesses;
  const isSure = guesses.every(
    (guess) => guess.language === language && guess.probability >= probabilitySure,
  );
  return isSure ? language : undefined;
}

function voiced(chunk: Chunk): number {
  return voicedSeconds(chunk.utterances);
}
