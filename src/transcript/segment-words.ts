import { unspacedScript } from '../timeline/unspaced-script.ts';
import type { Segment } from './segment.ts';
import type { TranscriptWord } from './transcript-word.ts';
import { lettersOf, wordsOf } from './word-timing.ts';

/** The words of segments, for readers that have no times of words: each segment's time is divided by letters. */
export function segmentWords(segments: readonly Segment[]): TranscriptWord[] {
  return segments.flatMap(({ start, end, text, speaker }) => {
    const words = wordsOf(text);
    const total = words.reduce((sum, word) => sum + lettersOf(word), 0);
    let spoken = 0;
    return words.map((word, i): TranscriptWord => {
      const timeAt = () => Math.round(1000 * (start + ((end - start) * spoken) / total));
      const startMs = timeAt();
      spoken += lettersOf(word);
      const spaced = i === 0 && !unspacedScript.test(word) ? ` ${word}` : word;
      return speaker === undefined ? [spaced, startMs, timeAt()] : [spaced, startMs, timeAt(), speaker];
    });
  });
}
