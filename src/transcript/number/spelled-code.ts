/** Letters and digits that are spelled one by one: `ABC123`. */
import { digitOf } from './spoken-number.ts';
import { following, preceding, type Replacement, type SpokenToken, unbroken } from './spoken-token.ts';

const letter = /^[A-Z]$/u;
/** Where a word belongs to what follows, so that "I" after it is a letter. */
const beforeLetters = /^(the|an|my|your|our|his|her|its|their|this|that|code|number|called|named)$/u;
/** In a shorter one a letter after a digit may belong to what follows: "Q two H R". */
const mixedLengthMin = 6;

/** At least three, of which at least two are letters; undefined where it may be something else. */
export function spelledCode(tokens: readonly SpokenToken[], at: number): Replacement | undefined {
  const run = unbroken(tokens, at, isSpelled);
  const spelled = run.slice(0, run.length - wordsAtEnd(run, following(tokens, at, run)));
  const letters = spelled.filter(({ own }) => letter.test(own));
  if (spelled.length < 3 || letters.length < 2 || letters.every(({ own }) => own === 'A' || own === 'I'))
    return undefined;
  const text = spelled.map(({ own, bare }) => digitOf(bare) ?? own).join('');
  if (/\d[A-Z]/u.test(text) && text.length < mixedLengthMin) return undefined;
  return { count: spelled.length, text: beginsWithWord(tokens, at) ? null : text };
}

function isSpelled({ own, bare }: SpokenToken): boolean {
  return letter.test(own) || digitOf(bare) !== undefined || /^\d$/u.test(own);
}

/** "K L M two days ago", "in Q two I think", "Group B two A people": how many of the last belong to what follows. */
function wordsAtEnd(run: readonly SpokenToken[], next: SpokenToken | undefined): number {
  if (!next) return 0;
  const isLetter = (i: number) => letter.test(run.at(i)?.own ?? '');
  const last = run.at(-1)?.own;
  const words = last === 'I' || (last === 'A' && !isLetter(-2)) ? 1 : 0;
  const isOneDigit = !isLetter(-1 - words) && isLetter(-2 - words);
  return isOneDigit ? words + 1 : words;
}

/** "I" is mostly a word, and "A" at the beginning of a sentence may be one. */
function beginsWithWord(tokens: readonly SpokenToken[], at: number): boolean {
  const previous = preceding(tokens, at);
  if (tokens[at]?.own === 'I') return !beforeLetters.test(previous?.bare ?? '');
  return tokens[at]?.own === 'A' && previous === undefined;
}
