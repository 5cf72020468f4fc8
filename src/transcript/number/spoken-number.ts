/** The value of an English number that is written in words. */

const small =
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
  seventeen eighteen nineteen`.split(/\s+/u);
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const smallValues = new Map(small.map((word, value) => [word, value]));
const tensValues = new Map(tens.map((word, i) => [word, (i + 2) * 10]));

export function digitOf(word: string): number | undefined {
  const value = smallValues.get(word);
  return value !== undefined && value < 10 ? value : undefined;
}

export function isNumberWord(word: string): boolean {
  return word.split('-').every((part) => isPart(part) || part === 'hundred' || part === 'thousand');
}

/** A zero, as in "nineteen oh five". */
export function isOh(word: string): boolean {
  return word === 'oh' || word === 'o';
}

function isPart(word: string): boolean {
  return smallValues.has(word) || tensValues.has(word);
}

/**
 * From words in lower case: `two thousand and twenty-three` is 2023. Undefined where they are not one number: `nine
 * forty five` may be a time, `five five five` a telephone, `five hundred and one thousand` two numbers, and `a hundred` need
 * not mean a hundred.
 */
export function spokenNumber(words: readonly string[]): number | undefined {
  const parts = words.flatMap((word) => word.split('-'));
  const at = parts.indexOf('thousand');
  if (at < 0) return belowThousand(parts);
  const [before, after] = [parts.slice(0, at), parts.slice(at + 1)];
  const thousands = belowThousand(before);
  const rest = withoutAnd(after);
  const ones = rest.length === 0 ? 0 : belowThousand(rest);
  if (!thousands || thousands > 999 || ones === undefined || ones > 999) return undefined;
  const mayBeTwo = before.at(-2) === 'and' && digitOf(before.at(-1) ?? '') !== undefined;
  if (mayBeTwo || (after[0] === 'and' && ones >= 100)) return undefined;
  return thousands * 1000 + ones;
}

function belowThousand(parts: readonly string[]): number | undefined {
  const at = parts.indexOf('hundred');
  if (at < 0) return belowHundred(parts);
  const hundreds = belowHundred(parts.slice(0, at));
  const rest = withoutAnd(parts.slice(at + 1));
  const ones = rest.length === 0 ? 0 : belowHundred(rest);
  // Nineteen hundred is a number, too.
  if (!hundreds || hundreds > 19 || ones === undefined) return undefined;
  return hundreds * 100 + ones;
}

function belowHundred([first, second, ...more]: readonly string[]): number | undefined {
  if (first === undefined || more.length > 0) return undefined;
  const ten = tensValues.get(first);
  if (second === undefined) return ten ?? smallValues.get(first);
  const one = digitOf(second);
  return ten === undefined || !one ? undefined : ten + one;
}

function withoutAnd(parts: readonly string[]): readonly string[] {
  return parts[0] === 'and' && parts.length > 1 ? parts.slice(1) : parts;
}
