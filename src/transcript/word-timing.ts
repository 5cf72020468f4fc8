/**
 * Times for the words of an utterance whose engine gives only text. Words are laid onto the voiced spans in
 * order, so that each span gets about as many letters as it is long, and so that pauses fall on punctuation.
 */

import { sampleRate } from '../timeline/sample-rate.ts';
import type { SpeechSpan } from '../timeline/span.ts';
import { unspacedScript } from '../timeline/unspaced-script.ts';
import type { RecognisedUtterance } from '../timeline/utterance.ts';
import type { TimedWord } from '../timeline/word.ts';

const clauseEnd = /[.,;:!?…。、，！？；：؟،।]["'”’»)\]]*$/u;
/** What a pause without punctuation costs, in seconds of misfit. */
const punctuationWorthSeconds = 0.8;

export function timedWords(utterance: RecognisedUtterance): TimedWord[] {
  if (utterance.words) return withinVoice(utterance.words, utterance.spans);
  const words = wordsOf(utterance.text);
  const spans = utterance.spans.length > 0 ? utterance.spans : [utterance];
  const shares = wordsPerSpan(words, spans);
  const timed: TimedWord[] = [];
  let next = 0;
  for (const [i, span] of spans.entries()) {
    const count = shares[i] ?? 0;
    timed.push(...spread(words.slice(next, next + count), span));
    next += count;
  }
  return timed;
}

/** The first word begins and the last one ends with the voice: engines know that only to a tenth of a second. */
function withinVoice(words: readonly TimedWord[], spans: readonly SpeechSpan[]): TimedWord[] {
  const placed = words.map((word) => withoutPauses(word, spans));
  const [first, last] = [placed[0], placed.at(-1)];
  const [opening, closing] = [spans[0], spans.at(-1)];
  if (first && opening && overlap(first, opening) > 0) first.startSample = opening.startSample;
  if (last && closing && overlap(last, closing) > 0) last.endSample = closing.endSample;
  return placed;
}

/** Engines let a word begin in the pause before it or end in the one after. */
function withoutPauses(word: TimedWord, spans: readonly SpeechSpan[]): TimedWord {
  const shared = spans.map((span) => overlap(span, word));
  const most = Math.max(...shared);
  // A span that the word hardly overlaps is its neighbour's.
  const spoken = spans.filter((_, i) => (shared[i] ?? 0) > 0.3 * most);
  const first = spoken[0];
  const last = spoken.at(-1);
  if (!first || !last || most <= 0) return { ...word };
  return {
    ...word,
    startSample: Math.max(word.startSample, first.startSample),
    endSample: Math.min(word.endSample, last.endSample),
  };
}

function overlap(a: SpeechSpan, b: SpeechSpan): number {
  return Math.max(0, Math.min(a.endSample, b.endSample) - Math.max(a.startSample, b.startSample));
}

/** Splits a text into words that keep the space before them. Scripts without spaces are split by the language's own rules. */
export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const match of text.trim().matchAll(/\s*\S+/gu)) {
    const word = match[0].replace(/^\s+/u, ' ');
    if (unspacedScript.test(word)) words.push(...unspacedWords(word));
    else words.push(word);
  }
  return words;
}

function unspacedWords(run: string): string[] {
  const pieces: string[] = [];
  let space = '';
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(run)) {
    if (segment.trim() === '') space = ' ';
    else if (/^\p{P}+$/u.test(segment) && pieces.length > 0) pieces[pieces.length - 1] += segment;
    else {
      pieces.push(space + segment);
      space = '';
    }
  }
  return pieces;
}

/** How many words each span gets; the cheapest monotone division, found span by span. */
function wordsPerSpan(words: readonly string[], spans: readonly SpeechSpan[]): number[] {
  const lengths = [0];
  for (const word of words) lengths.push((lengths.at(-1) ?? 0) + lettersOf(word));
  const voiced = spans.reduce((sum, span) => sum + duration(span), 0);
  const secondsPerLetter = voiced / Math.max(1, lengths.at(-1) ?? 1);
  let costs = lengths.map((_, end) => (end === 0 ? 0 : Number.POSITIVE_INFINITY));
  const choices: number[][] = [];
  for (const [i, span] of spans.entries()) {
    const last = i === spans.length - 1;
    const chosen: number[] = [];
    const next = costs.map((_, end) => {
      let cheapest = Number.POSITIVE_INFINITY;
      for (let from = 0; from <= end; from++) {
        const spoken = ((lengths[end] ?? 0) - (lengths[from] ?? 0)) * secondsPerLetter;
        const misfit = (spoken - duration(span)) ** 2;
        const cost = (costs[from] ?? 0) + misfit;
        if (cost < cheapest) {
          cheapest = cost;
          chosen[end] = from;
        }
      }
      return cheapest + (last ? 0 : boundaryCost(words[end - 1], pauseAfter(spans, i)));
    });
    costs = next;
    choices.push(chosen);
  }
  const shares: number[] = [];
  let end = words.length;
  for (const chosen of choices.reverse()) {
    const from = chosen[end] ?? 0;
    shares.unshift(end - from);
    end = from;
  }
  return shares;
}

function boundaryCost(wordBefore: string | undefined, pauseSeconds: number): number {
  if (wordBefore !== undefined && clauseEnd.test(wordBefore)) return 0;
  return punctuationWorthSeconds * Math.min(1, pauseSeconds);
}

function pauseAfter(spans: readonly SpeechSpan[], i: number): number {
  return ((spans[i + 1]?.startSample ?? 0) - (spans[i]?.endSample ?? 0)) / sampleRate;
}

function spread(words: readonly string[], span: SpeechSpan): TimedWord[] {
  const total = words.reduce((sum, word) => sum + lettersOf(word), 0);
  const length = span.endSample - span.startSample;
  let spoken = 0;
  return words.map((text) => {
    const startSample = span.startSample + Math.round((length * spoken) / total);
    spoken += lettersOf(text);
    return { text, startSample, endSample: span.startSample + Math.round((length * spoken) / total) };
  });
}

/** One more than the letters, for the time between words; a figure is read as about four letters. */
export function lettersOf(word: string): number {
  return 1 + (word.match(/\p{L}/gu)?.length ?? 0) + 4 * (word.match(/\p{N}/gu)?.length ?? 0);
}

function duration(span: SpeechSpan): number {
  return (span.endSample - span.startSample) / sampleRate;
}
