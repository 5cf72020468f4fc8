/** Words in a row, without the punctuation around them, as the rules of written numbers read them. */
import type { TimedWord } from '../../timeline/word.ts';

export interface SpokenToken {
  word: TimedWord;
  /** Lower case, without punctuation around it. */
  bare: string;
  /** As it was written, without punctuation around it. */
  own: string;
  before: string;
  after: string;
}

/** Of so many words this is to be written; null: they stay as they are, together. */
export interface Replacement {
  count: number;
  text: string | null;
}

export function spokenToken(word: TimedWord): SpokenToken {
  const [, before = '', own = '', after = ''] =
    /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}%]*)$/su.exec(word.text.trim()) ?? [];
  return { word, bare: own.toLowerCase(), own, before, after };
}

/** The words from here on that belong together: nothing stands between them. */
export function unbroken(
  tokens: readonly SpokenToken[],
  at: number,
  belongs: (token: SpokenToken) => boolean,
): SpokenToken[] {
  const run: SpokenToken[] = [];
  for (let i = at; i < tokens.length; i++) {
    const token = tokens[i] as SpokenToken;
    if (!belongs(token) || (run.length > 0 && token.before !== '')) break;
    run.push(token);
    if (token.after !== '') break;
  }
  return run;
}

/** The word that follows these without punctuation between. */
export function following(
  tokens: readonly SpokenToken[],
  at: number,
  { length }: { length: number },
): SpokenToken | undefined {
  const [last, next] = [tokens[at + length - 1], tokens[at + length]];
  return last?.after === '' && next?.before === '' ? next : undefined;
}

/** The word before, without punctuation between. */
export function preceding(tokens: readonly SpokenToken[], at: number): SpokenToken | undefined {
  const previous = tokens[at - 1];
  return previous?.after === '' && tokens[at]?.before === '' ? previous : undefined;
}
