import type { Segment } from './segment.ts';
import type { TranscriptWord } from './transcript-word.ts';
import { lettersOf, wordsOf } from './word-timing.ts';

/** The words of segments whose own times are not known: each segment's time is shared out by letters. */
export function segmentWords(segments: readonly Segment[]): TranscriptWord[] {
  return segments.flatMap(({ start, end, text, speaker }, index) => {
    const words = wordsOf(index === 0 ? text : ` ${text}`);
    const total = words.reduce((sum, word) => sum + lettersOf(word), 0);
    let spoken = 0;
    return words.map((word, i): TranscriptWord => {
      const startMs = Math.round(1000 * (start + ((end - start) * spoken) / total));
      spoken += lettersOf(word);
      const endMs = Math.round(1000 * (start + ((end - start) * spoken) / total));
      const spaced = i === 0 && index > 0 ? ` ${word.trim()}` : word;
      return speaker === undefined ? [spaced, startMs, endMs] : [spaced, startMs, endMs, speaker];
    });
  });
}
