/** Words of numbers in a row, and whether they are one number. */
import { digitOf, isNumberWord, isOh, spokenNumber } from './spoken-number.ts';
import { following, type SpokenToken, unbroken } from './spoken-token.ts';

export const multiplier = /^(hundred|thousand|million|billion|trillion)$/u;
const digitsOnly = /^\d[\d,]*(\.\d+)?$/u;
const joining = /^(or|to|and)$/u;
/** After these an "and" may stand between two numbers. */
const beforeTwo = /^(between|both|pages|chapters|verses|lines|rooms|numbers|sections|questions|items)$/u;

export function isNumber({ bare }: SpokenToken): boolean {
  return isNumberWord(bare) || isDigits(bare);
}

export function isDigits(bare: string): boolean {
  return digitsOnly.test(bare);
}

/** All words of numbers in a row, with an "and" or an "oh" inside; or one number in digits. */
export function numberRun(tokens: readonly SpokenToken[], at: number): SpokenToken[] {
  const first = tokens[at];
  if (first && isDigits(first.bare)) return [first];
  if (!first || !isNumberWord(first.bare)) return [];
  const run = unbroken(tokens, at, ({ bare }) => isNumberWord(bare) || bare === 'and' || isOh(bare));
  const joins = run.map(({ bare }, i) => bare !== 'and' || multiplier.test(run[i - 1]?.bare ?? ''));
  const end = joins.indexOf(false);
  const cut = end < 0 ? run : run.slice(0, end);
  return cut.slice(0, cut.findLastIndex(({ bare }) => isNumberWord(bare)) + 1);
}

/** Those that end before this place. */
export function numberRunBefore(tokens: readonly SpokenToken[], end: number): SpokenToken[] {
  let start = end;
  while (start > 0 && isNumber(tokens[start - 1] as SpokenToken) && tokens[start - 1]?.after === '') start--;
  return tokens.slice(start, end);
}

export function runValue(run: readonly SpokenToken[]): number | undefined {
  const [only] = run;
  if (run.length === 1 && only && isDigits(only.bare)) return Number(only.bare.replaceAll(',', ''));
  return spokenNumber(run.map(({ bare }) => bare));
}

/** "Between five hundred and one thousand", "one hundred and two of them stayed". */
export function mayBeTwoNumbers(
  tokens: readonly SpokenToken[],
  at: number,
  run: readonly SpokenToken[],
): boolean {
  if (run.every(({ bare }) => bare !== 'and')) return false;
  const next = following(tokens, at, run);
  // Between one hundred and fifty and two hundred.
  const isOneOfTwo = next?.bare === 'and' && numberRun(tokens, at + run.length + 1).length > 0;
  if (isOneOfTwo) return false;
  if ([tokens[at - 1], tokens[at - 2]].some((token) => beforeTwo.test(token?.bare ?? ''))) return true;
  return next?.bare === 'of' && digitOf(run.at(-1)?.bare ?? '') !== undefined;
}

/** "Ten to fifteen thousand", "two or three hundred": the first means as many of the second's. */
export function sharesMultiplier(
  tokens: readonly SpokenToken[],
  at: number,
  run: readonly SpokenToken[],
): boolean {
  const to = at + run.length;
  if (joining.test(following(tokens, at, run)?.bare ?? '')) {
    const other = numberRun(tokens, to + 1);
    if (isShortOf(run, other, following(tokens, to + 1, other))) return true;
  }
  if (!joining.test(tokens[at - 1]?.bare ?? '')) return false;
  return isShortOf(numberRunBefore(tokens, at - 1), run, tokens[to]);
}

/** `next` stands behind the second. */
function isShortOf(
  first: readonly SpokenToken[],
  second: readonly SpokenToken[],
  next: SpokenToken | undefined,
): boolean {
  const [one, other] = [runValue(first), runValue(second)];
  if (one === undefined || other === undefined) return false;
  if (multiplier.test(next?.bare ?? '')) return true;
  const has = (run: readonly SpokenToken[], word: string) => run.some(({ bare }) => bare.endsWith(word));
  for (const [word, size] of [
    ['thousand', 1000],
    ['hundred', 100],
  ] as const)
    if (has(second, word)) return !has(first, word) && one < other / size;
  return false;
}
