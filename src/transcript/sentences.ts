import { sampleRate } from '../timeline/sample-rate.ts';
import type { SpokenWord } from './spoken-words.ts';

/** Nobody pauses this long inside a clause. */
const pauseSamplesSplitting = 1.5 * sampleRate;
const sentenceEnd = /[.!?…。！？؟।]["'”’»)\]]*$/u;
/** Words whose full stop ends no sentence. */
const abbreviation = /^["'“‘(]*(mr|mrs|ms|dr|prof|st|vs|etc|e\.g|i\.e|no|sr|jr|gen|col|sgt|capt|[a-z])\.$/iu;

export function endsSentence({ text }: Pick<SpokenWord, 'text'>): boolean {
  return sentenceEnd.test(text) && !abbreviation.test(text.trim());
}

/** Cuts words that come one by one into sentences; a sentence is given as soon as it has ended. */
export class Sentences {
  #open: SpokenWord[] = [];

  /** The sentences that end before or with this word. */
  add(word: SpokenWord): SpokenWord[][] {
    const ended: SpokenWord[][] = [];
    const previous = this.#open.at(-1);
    if (previous && isApart(previous, word)) ended.push(this.#take());
    this.#open.push(word);
    if (endsSentence(word)) ended.push(this.#take());
    return ended;
  }

  /** What is left when no more words come. */
  end(): SpokenWord[][] {
    return this.#open.length > 0 ? [this.#take()] : [];
  }

  #take(): SpokenWord[] {
    const sentence = this.#open;
    this.#open = [];
    return sentence;
  }
}

function isApart(word: SpokenWord, next: SpokenWord): boolean {
  if (word.speaker !== next.speaker || word.language !== next.language) return true;
  return next.startSample - word.endSample >= pauseSamplesSplitting;
}
