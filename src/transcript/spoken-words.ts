import type { SpeechSpan } from '../timeline/span.ts';
import type { Speaker } from '../timeline/turn.ts';
import type { RecognisedUtterance } from '../timeline/utterance.ts';
import type { TimedWord } from '../timeline/word.ts';
import { capitalFollows, normalisedWords } from './normalised-words.ts';
import { timedWords } from './word-timing.ts';

export interface SpokenWord extends TimedWord {
  speaker?: Speaker;
  language: string | null;
  /** Inside its utterance: an engine may hear the last word of one in the pause after it. */
  voiced: SpeechSpan;
}

const unspacedLetter = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** Every word of utterances that come in order of time, none starting before the one before has ended. */
export class SpokenWords {
  #previousEnd = 0;
  #previousText: string | undefined;
  #beginsSentence = true;

  add(utterance: RecognisedUtterance): SpokenWord[] {
    const { language } = utterance;
    const timed = normalisedWords(timedWords(utterance), { language, beginsSentence: this.#beginsSentence });
    const last = timed.at(-1);
    if (last) this.#beginsSentence = capitalFollows(last.text, language);
    return timed.map((word, i) => {
      const startSample = Math.max(this.#previousEnd, word.startSample);
      const endSample = Math.max(startSample, word.endSample);
      const isSeparate = i === 0 && !joinsWithoutSpace(this.#previousText, word.text);
      const text = isSeparate ? ` ${word.text.trim()}` : word.text;
      this.#previousEnd = endSample;
      this.#previousText = text;
      const inside = (sample: number) =>
        Math.min(utterance.endSample, Math.max(utterance.startSample, sample));
      const voiced = { startSample: inside(word.startSample), endSample: inside(word.endSample) };
      const { confidence } = word;
      return {
        text,
        startSample,
        endSample,
        voiced,
        language,
        ...(confidence !== undefined && { confidence }),
      };
    });
  }
}

function joinsWithoutSpace(before: string | undefined, after: string): boolean {
  return before !== undefined && unspacedLetter.test(before) && unspacedLetter.test(after);
}
