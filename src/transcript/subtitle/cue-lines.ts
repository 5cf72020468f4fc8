/** How the words of a subtitle are laid out: on one line, or on two that are cut at a clause and about as long. */

export interface CueLimits {
  /** Letters on a line. */
  lineColumnsMax: number;
  linesMax: 1 | 2;
}

export const defaultCueLimits: CueLimits = { lineColumnsMax: 42, linesMax: 2 };

const zeroWidth = /[\p{M}\u200b-\u200f\u2060]/u;
/** Characters of East Asian scripts and emoji take the room of two letters. */
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\p{Extended_Pictographic}]/u;
const clauseEnd = /[.,;:!?…—。、，！？；：؟،।]["'”’»)\]]*$/u;

/** How many letters of a line the text takes. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) {
    if (!zeroWidth.test(character)) columns += wide.test(character) ? 2 : 1;
  }
  return columns;
}

/** A word with what is asked of it again and again. */
export interface MeasuredWord {
  /** Without the space before it. */
  text: string;
  hasSpace: boolean;
  columns: number;
  characters: number;
  /** What it costs a reader when a line or a subtitle ends after this word: nothing at the end of a clause. */
  splitCost: number;
}

export function measuredWord(text: string): MeasuredWord {
  const own = text.trim();
  return {
    text: own,
    hasSpace: /^\s/u.test(text),
    columns: columnsOf(own),
    characters: [...own].length,
    splitCost: splitCost(own),
  };
}

function splitCost(word: string): number {
  if (clauseEnd.test(word)) return 0;
  // Articles, prepositions and pronouns belong to the word after them, and most of them are short.
  const letters = word.match(/\p{L}/gu)?.length ?? 0;
  return letters > 0 && letters <= 3 ? 1 : 0.6;
}

interface Layout {
  /** How many words stand on the first line; all of them where there is no second. */
  firstLine: number;
  /** The smaller, the better it reads. */
  cost: number;
}

/** Undefined where the words do not fit on the lines there may be. */
export function layoutOf(
  words: readonly MeasuredWord[],
  { lineColumnsMax, linesMax }: CueLimits,
): Layout | undefined {
  const total = columns(words);
  if (total <= lineColumnsMax) return { firstLine: words.length, cost: 0 };
  if (linesMax === 1) return undefined;
  let best: Layout | undefined;
  let first = 0;
  for (let at = 1; at < words.length; at++) {
    const [before, after] = [words[at - 1], words[at]];
    if (!before || !after) break;
    first += before.columns + (at > 1 && before.hasSpace ? 1 : 0);
    const second = total - first - (after.hasSpace ? 1 : 0);
    if (first > lineColumnsMax) break;
    if (second > lineColumnsMax) continue;
    const isOrphan = at === 1 || at === words.length - 1;
    const cost = Math.abs(first - second) / lineColumnsMax + before.splitCost + (isOrphan ? 1 : 0);
    if (!best || cost < best.cost) best = { firstLine: at, cost };
  }
  return best;
}

export function lineText(words: readonly MeasuredWord[]): string {
  return words.map(({ text, hasSpace }, i) => (hasSpace && i > 0 ? ` ${text}` : text)).join('');
}

function columns(words: readonly MeasuredWord[]): number {
  return words.reduce((sum, word, i) => sum + word.columns + (word.hasSpace && i > 0 ? 1 : 0), 0);
}
