/**
 * Word times of recognizers are off by up to half a second, so that the last word of a sentence may lie in the turn of
 * whoever speaks next. A turn change one or two words beside the end of a sentence is moved there.
 */

import { sampleRate } from '../timeline/sample-rate.ts';
import type { SpeechSpan } from '../timeline/span.ts';
import type { Speaker } from '../timeline/turn.ts';

interface SpeakerWord extends SpeechSpan {
  speaker?: Speaker;
}

const wordsMovedMax = 2;
const movedSamplesMax = 0.8 * sampleRate;

/** How many words after `at` (or before it, negative) belong to the other side of the change; 0 where it stays. */
function shift<Word extends SpeakerWord>(
  words: readonly Word[],
  at: number,
  endsSentence: (word: Word) => boolean,
): number {
  const before = words[at - 1];
  if (!before || endsSentence(before)) return 0;
  for (let count = 1; count <= wordsMovedMax; count += 1) {
    if (mayMove(words, at, at + count, endsSentence)) return count;
    if (mayMove(words, at - count, at, endsSentence)) return -count;
  }
  return 0;
}

/** Words `from` to `to` are short, said by one person who says more than them, and a sentence ends beside them. */
function mayMove<Word extends SpeakerWord>(
  words: readonly Word[],
  from: number,
  to: number,
  endsSentence: (word: Word) => boolean,
): boolean {
  const moved = words.slice(from, to);
  const [first] = moved;
  const last = moved.at(-1);
  const forward = words[from - 1]?.speaker !== first?.speaker;
  const edge = forward ? last : words[from - 1];
  const beyond = forward ? words[to] : words[from - 1];
  if (!first || !last || !edge || !beyond || !endsSentence(edge)) return false;
  if (last.endSample - first.startSample > movedSamplesMax) return false;
  return moved.every((word) => word.speaker === beyond.speaker);
}

export function turnsAtSentences<Word extends SpeakerWord>(
  words: readonly Word[],
  endsSentence: (word: Word) => boolean,
): Word[] {
  const moved = [...words];
  for (let at = 1; at < moved.length; at += 1) {
    if (moved[at]?.speaker === moved[at - 1]?.speaker) continue;
    const count = shift(moved, at, endsSentence);
    const speaker = count > 0 ? moved[at - 1]?.speaker : moved[at]?.speaker;
    const [from, to] = count > 0 ? [at, at + count] : [at + count, at];
    for (let index = from; index < to; index += 1) {
      const word = moved[index];
      if (word && speaker !== undefined) moved[index] = { ...word, speaker };
    }
    if (count > 0) at += count - 1;
  }
  return moved;
}
