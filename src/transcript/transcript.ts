/** From recognised utterances to what people read: segments with times, and the whole text in paragraphs. */

import { sampleRate } from '../timeline/sample-rate.ts';
import type { SpeechSpan } from '../timeline/span.ts';
import type { Speaker, SpeakerTurn } from '../timeline/turn.ts';
import type { RecognisedUtterance } from '../timeline/utterance.ts';
import type { TimedWord } from '../timeline/word.ts';
import { turnsAtSentences } from './sentence-turns.ts';
import { timedWords } from './word-timing.ts';

export interface Segment {
  /** Seconds from the start of the recording, to the millisecond. */
  start: number;
  end: number;
  text: string;
  speaker?: Speaker;
}

export interface Transcript {
  text: string;
  segments: Segment[];
}

/** About two lines of a subtitle, twice over: what can be read while it is spoken. */
const segmentCharactersMax = 200;
const segmentSamplesMax = 12 * sampleRate;
/** Nobody pauses this long inside a clause; and from the second value on the talk has moved on. */
const pauseSamplesSplitting = 1.5 * sampleRate;
const pauseSamplesParagraph = 2 * sampleRate;

const sentenceEnd = /[.!?…。！？؟।]["'”’»)\]]*$/u;
const clauseEnd = /[,;:—、，；：،]["'”’»)\]]*$/u;
/** Words whose full stop ends no sentence. */
const abbreviation = /^["'“‘(]*(mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|no|sr|jr|gen|col|sgt|capt|[a-z])\.$/iu;

interface SpokenWord extends TimedWord {
  speaker?: Speaker;
  /** The last of an utterance that was cut where the voice changes: no word beyond it is of the same person by mistake. */
  endsUtterance?: boolean;
}

export function transcript(
  utterances: readonly RecognisedUtterance[],
  turns: readonly SpeakerTurn[] = [],
): Transcript {
  const words = spokenWords(utterances, turns);
  const groups = sentences(words).flatMap(fitting);
  const segments: Segment[] = [];
  let text = '';
  let previousEnd = 0;
  for (const group of groups) {
    const first = group[0];
    const last = group.at(-1);
    if (!first || !last) continue;
    const own = group.map((word) => word.text).join('');
    const gap = first.startSample - previousEnd;
    text += text !== '' && gap >= pauseSamplesParagraph ? `\n\n${own.trim()}` : own;
    previousEnd = last.endSample;
    const segment: Segment = {
      start: secondsOf(first.startSample),
      end: secondsOf(last.endSample),
      text: own.trim(),
    };
    if (first.speaker !== undefined) segment.speaker = first.speaker;
    segments.push(segment);
  }
  return { text: text.trim(), segments };
}

/** Every word in order, none starting before the one before has ended. */
function spokenWords(
  utterances: readonly RecognisedUtterance[],
  turns: readonly SpeakerTurn[],
): SpokenWord[] {
  const words: SpokenWord[] = [];
  let previousEnd = 0;
  for (const utterance of utterances) {
    const timed = timedWords(utterance);
    for (const [i, word] of timed.entries()) {
      const startSample = Math.max(previousEnd, word.startSample);
      const endSample = Math.max(startSample, word.endSample);
      previousEnd = endSample;
      const text =
        i === 0 && !joinsWithoutSpace(words.at(-1)?.text, word.text) ? ` ${word.text.trim()}` : word.text;
      const endsUtterance = utterance.words === undefined && i === timed.length - 1;
      words.push({ text, startSample, endSample, endsUtterance });
    }
  }
  if (turns.length === 0) return words;
  return turnsAtSentences(
    withSpeakers(words, turns),
    (word) => word.endsUtterance === true || endsSentenceByItself(word),
  );
}

const unspacedLetter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function joinsWithoutSpace(before: string | undefined, after: string): boolean {
  return before !== undefined && unspacedLetter.test(before) && unspacedLetter.test(after);
}

/** Words further from any turn than this were heard where nobody listened for voices: no speaker is better than a wrong one. */
const turnSamplesAway = 3 * sampleRate;

function withSpeakers(words: readonly SpokenWord[], turns: readonly SpeakerTurn[]): SpokenWord[] {
  let next = 0;
  return words.map((word) => {
    const middle = (word.startSample + word.endSample) / 2;
    while (next + 1 < turns.length && distance(turns[next + 1], middle) <= distance(turns[next], middle))
      next++;
    const turn = turns[next];
    return turn && distance(turn, middle) <= turnSamplesAway ? { ...word, speaker: turn.speaker } : word;
  });
}

function distance(turn: SpeechSpan | undefined, sample: number): number {
  if (!turn) return Number.POSITIVE_INFINITY;
  return Math.max(0, turn.startSample - sample, sample - turn.endSample);
}

function sentences(words: readonly SpokenWord[]): SpokenWord[][] {
  const groups: SpokenWord[][] = [];
  let group: SpokenWord[] = [];
  for (const [i, word] of words.entries()) {
    group.push(word);
    const next = words[i + 1];
    if (!next || endsSentence(word, next)) {
      groups.push(group);
      group = [];
    }
  }
  return groups;
}

function endsSentence(word: SpokenWord, next: SpokenWord): boolean {
  if (word.speaker !== next.speaker) return true;
  if (next.startSample - word.endSample >= pauseSamplesSplitting) return true;
  return endsSentenceByItself(word);
}

function endsSentenceByItself({ text }: SpokenWord): boolean {
  return sentenceEnd.test(text) && !abbreviation.test(text.trim());
}

/** Splits a sentence that is too long at its best places: a pause or a comma, rather near the middle. */
function fitting(group: SpokenWord[]): SpokenWord[][] {
  const first = group[0];
  const last = group.at(-1);
  if (!first || !last || group.length < 2) return [group];
  const length = last.endSample - first.startSample;
  const characters = charactersOf(group);
  if (length <= segmentSamplesMax && characters <= segmentCharactersMax) return [group];
  let at = 1;
  let best = Number.NEGATIVE_INFINITY;
  let charactersBefore = 0;
  for (let i = 1; i < group.length; i++) {
    const before = group[i - 1];
    const after = group[i];
    if (!before || !after) continue;
    charactersBefore += before.text.length;
    const pauseSeconds = (after.startSample - before.endSample) / sampleRate;
    const offCentre = Math.abs(charactersBefore / characters - 0.5);
    const score = 2 * pauseSeconds + (clauseEnd.test(before.text) ? 1 : 0) - 4 * offCentre;
    if (score > best) {
      best = score;
      at = i;
    }
  }
  return [...fitting(group.slice(0, at)), ...fitting(group.slice(at))];
}

function charactersOf(group: readonly SpokenWord[]): number {
  return group.reduce((sum, word) => sum + word.text.length, 0);
}

function secondsOf(sample: number): number {
  return Math.round((sample * 1000) / sampleRate) / 1000;
}
