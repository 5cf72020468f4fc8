/**
 * The moment at which a voice changes is known to half a second, so that the last word of one person may lie in the turn
 * of whoever speaks next. A change one or two words beside the end of a sentence or a pause is moved there.
 */

import { sampleRate } from '../timeline/sample-rate.ts';
import type { SpeechSpan } from '../timeline/span.ts';
import type { Speaker } from '../timeline/turn.ts';

interface SpeakerWord {
  speaker?: Speaker;
  voiced: SpeechSpan;
}

const wordsMovedMax = 2;
const movedSamplesMax = 0.8 * sampleRate;
/** Nobody pauses so long inside a phrase without a reason. */
const pauseSamplesMin = 0.25 * sampleRate;

/** How many words after `at` (or before it, negative) belong to the other side of the change; 0 where it stays. */
function shift(words: readonly SpeakerWord[], at: number, isBreak: (after: number) => boolean): number {
  if (isBreak(at - 1)) return 0;
  for (let count = 1; count <= wordsMovedMax; count += 1) {
    if (mayMove(words, at, at + count, isBreak)) return count;
    if (mayMove(words, at - count, at, isBreak)) return -count;
  }
  return 0;
}

/** Words `from` to `to` are short, said by one person who says more than them, and a break is beside them. */
function mayMove(
  words: readonly SpeakerWord[],
  from: number,
  to: number,
  isBreak: (after: number) => boolean,
): boolean {
  const moved = words.slice(from, to);
  const [first] = moved;
  const last = moved.at(-1);
  const forward = words[from - 1]?.speaker !== first?.speaker;
  const beyond = forward ? words[to] : words[from - 1];
  if (!first || !last || !beyond || !isBreak(forward ? to - 1 : from - 1)) return false;
  if (last.voiced.endSample - first.voiced.startSample > movedSamplesMax) return false;
  return moved.every((word) => word.speaker === beyond.speaker);
}

export function turnsAtBreaks<Word extends SpeakerWord>(
  words: readonly Word[],
  endsSentence: (word: Word) => boolean,
): Word[] {
  const moved = [...words];
  const isBreak = (after: number) => {
    const [before, next] = [words[after], words[after + 1]];
    if (!before || !next) return false;
    return endsSentence(before) || next.voiced.startSample - before.voiced.endSample >= pauseSamplesMin;
  };
  for (let at = 1; at < moved.length; at += 1) {
    if (moved[at]?.speaker === moved[at - 1]?.speaker) continue;
    const count = shift(moved, at, isBreak);
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
