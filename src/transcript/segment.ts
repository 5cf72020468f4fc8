import { sampleRate } from '../timeline/sample-rate.ts';
import type { Speaker } from '../timeline/turn.ts';
import { meanConfidence } from '../timeline/word.ts';
import type { SpokenWord } from './spoken-words.ts';

export interface Segment {
  /** Seconds from the start of the recording, to the millisecond. */
  start: number;
  end: number;
  text: string;
  speaker?: Speaker;
  /** In which it is written, where the engine tells; segments from before it was kept do not have it. */
  language?: string;
  /** How sure the engine is of its words, from 0 to 1, where it tells. */
  confidence?: number;
}

/** A segment with what stands between it and the one before in the whole text. */
export interface LedSegment {
  lead: string;
  segment: Segment;
}

/** About two lines of a subtitle, twice over: what can be read while it is spoken. */
const segmentCharactersMax = 200;
const segmentSamplesMax = 12 * sampleRate;
/** From this pause on the talk has moved on. */
const pauseSamplesParagraph = 2 * sampleRate;
const clauseEnd = /[,;:—、，；：،]["'”’»)\]]*$/u;

/** Makes segments of sentences that come in order. */
export class Segments {
  #previousEnd: number | undefined;

  of(sentence: readonly SpokenWord[]): LedSegment[] {
    return fitting(sentence).flatMap((words) => {
      const first = words[0];
      const last = words.at(-1);
      if (!first || !last) return [];
      const whole = words.map((word) => word.text).join('');
      const lead = this.#lead(first, whole);
      this.#previousEnd = last.endSample;
      const times = { start: secondsOf(first.startSample), end: secondsOf(last.endSample) };
      const speaker = first.speaker === undefined ? {} : { speaker: first.speaker };
      const { language } = first;
      const confidence = meanConfidence(words);
      return [
        {
          lead,
          segment: {
            ...times,
            text: whole.trim(),
            ...speaker,
            ...(language !== null && { language }),
            ...(confidence !== undefined && { confidence: hundredths(confidence) }),
          },
        },
      ];
    });
  }

  #lead(first: SpokenWord, whole: string): string {
    if (this.#previousEnd === undefined) return '';
    if (first.startSample - this.#previousEnd >= pauseSamplesParagraph) return '\n\n';
    return /^\s/.test(whole) ? ' ' : '';
  }
}

/** Splits a sentence that is too long at a pause or a comma, rather near the middle. */
function fitting(sentence: readonly SpokenWord[]): (readonly SpokenWord[])[] {
  const first = sentence[0];
  const last = sentence.at(-1);
  if (!first || !last || sentence.length < 2) return [sentence];
  const length = last.endSample - first.startSample;
  const characters = sentence.reduce((sum, word) => sum + word.text.length, 0);
  if (length <= segmentSamplesMax && characters <= segmentCharactersMax) return [sentence];
  let at = 1;
  let best = Number.NEGATIVE_INFINITY;
  let charactersBefore = 0;
  for (let i = 1; i < sentence.length; i++) {
    const before = sentence[i - 1];
    const after = sentence[i];
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
  return [...fitting(sentence.slice(0, at)), ...fitting(sentence.slice(at))];
}

function secondsOf(sample: number): number {
  return millisecondsOf(sample) / 1000;
}

/** Two digits tell all that a probability of a network is good for. */
export function hundredths(confidence: number): number {
  return Math.round(confidence * 100) / 100;
}

export function millisecondsOf(sample: number): number {
  return Math.round((sample * 1000) / sampleRate);
}
