/** `3.14` and `2.3.1`: what is spoken after "point". */
import { multiplier, numberRun } from './number-run.ts';
import { digitOf, isNumberWord, isOh, spokenNumber } from './spoken-number.ts';
import { following, type SpokenToken, unbroken } from './spoken-token.ts';
import { isUnit } from './spoken-unit.ts';

/** "Two point, oh my": what follows an "oh" that is no zero. */
const afterExclamation = /^(my|no|yes|yeah|dear|god|well|i)$/u;
const beforeDecimal = /^(version|release|chapter|section|nearly|almost|roughly|approximately)$/u;

export interface SpokenDecimal {
  /** With the points; null where it cannot be read, or need not be a decimal. */
  text: string | null;
  /** Of words, from the first "point". */
  count: number;
}

/** What is spoken after one "point". */
interface Part extends SpokenDecimal {
  /** Digit by digit. */
  isSpelled: boolean;
}

/** After the number `whole`, which stands at `at`. Undefined where no number is spoken after a "point". */
export function spokenDecimal(
  tokens: readonly SpokenToken[],
  at: number,
  whole: readonly SpokenToken[],
): SpokenDecimal | undefined {
  const from = at + whole.length;
  const parts: Part[] = [];
  let to = from;
  while (tokens[to - 1]?.after === '') {
    const part = partAt(tokens, to);
    if (!part) break;
    parts.push(part);
    to += part.count;
  }
  const [first] = parts;
  if (!first) return undefined;
  const isOne = whole.length === 1 && whole[0]?.bare === 'one';
  const isSeveral = parts.length > 1 || (first.isSpelled && (first.text ?? '').length > 1);
  const isRead =
    parts.every(({ text }) => text !== null) && (!isOne || isSeveral || isOnePoint(tokens, at, to));
  return { text: isRead ? parts.map(({ text }) => `.${text}`).join('') : null, count: to - from };
}

function partAt(tokens: readonly SpokenToken[], at: number): Part | undefined {
  const point = tokens[at];
  if (point?.bare !== 'point' || point.before !== '' || point.after !== '') return undefined;
  if (tokens[at + 1]?.before !== '') return undefined;
  const digits = unbroken(tokens, at + 1, ({ bare }) => digitOf(bare) !== undefined || isOh(bare));
  const next = following(tokens, at + 1, digits);
  if (digits.length > 0 && !isNumberWord(next?.bare ?? '')) {
    if (isOh(digits.at(-1)?.bare ?? '') && afterExclamation.test(next?.bare ?? '')) return undefined;
    const text = digits.map(({ bare }) => digitOf(bare) ?? 0).join('');
    return { text, count: digits.length + 1, isSpelled: true };
  }
  const run = numberRun(tokens, at + 1);
  if (run.length === 0) return undefined;
  const value = spokenNumber(run.map(({ bare }) => bare));
  const isRead = value !== undefined && value >= 10 && value <= 99;
  return { text: isRead ? String(value) : null, count: run.length + 1, isSpelled: false };
}

/** Whether "one point" begins a decimal: "at one point five people left" does not, "one point five million" does. */
function isOnePoint(tokens: readonly SpokenToken[], at: number, to: number): boolean {
  const previous = tokens[at - 1];
  if (beforeDecimal.test(previous?.bare ?? '')) return true;
  const next = following(tokens, to - 1, { length: 1 });
  if (previous?.bare === 'at') return previous.own === 'at' && /^per(cent)?$/u.test(next?.bare ?? '');
  return next === undefined || multiplier.test(next.bare) || isUnit(next.bare);
}
