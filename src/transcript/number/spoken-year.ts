/** A year that is spoken in two halves: `1984` for "nineteen eighty four", where it can be nothing else. */
import { numberRun, numberRunBefore, runValue } from './number-run.ts';
import { digitOf, isOh, spokenNumber } from './spoken-number.ts';
import { following, preceding, type SpokenToken } from './spoken-token.ts';
import { isUnit } from './spoken-unit.ts';

const month = /^(january|february|march|april|may|june|july|august|september|october|november|december)$/u;
const beforeYear = /^(in|during|year|circa|early|late|mid|summer|winter|spring|autumn|fall)$/u;
/** "The summer of", but not "a price of". */
const beforeOf =
  /^(year|class|summer|winter|spring|autumn|fall|end|start|beginning|crash|war|election|fire|census)$/u;
/** A time of day or a price may follow, too. */
const beforeYearOrTime = /^(since|before|after|until|till|by|around|from|to|between|and)$/u;
const neverBeforePrice = /^(since|before|after|until|till)$/u;
const rangeFrom = /^(from|between)$/u;
const rangeTo = /^(to|and|until|till)$/u;
/** "Twenty twenty cricket". */
const afterTwenty = /^(vision|hindsight|cricket|match|matches)$/u;
const counted = /^(of|people|men|women|children|[\p{L}]{2,}s)$/u;
const uncounted = /^(was|is|has|his|this|as|its|does|us|thus|always|perhaps)$/u;

/** Of these words, which are no single number; null where they may be something else. */
export function spokenYear(
  tokens: readonly SpokenToken[],
  at: number,
  run: readonly SpokenToken[],
): string | null {
  const year = yearOf(run);
  const previous = preceding(tokens, at);
  if (year === undefined || !previous || isCounting(run, following(tokens, at, run))) return null;
  const isYear =
    beforeYear.test(previous.bare) ||
    month.test(previous.bare) ||
    (previous.bare === 'of' && isBeforeOf(preceding(tokens, at - 1))) ||
    (beforeYearOrTime.test(previous.bare) &&
      (isYearAlone(year, previous.bare) || isRangeOfYears(tokens, at, run)));
  return isYear ? String(year) : null;
}

function isBeforeOf(token: SpokenToken | undefined): boolean {
  return token !== undefined && (beforeOf.test(token.bare) || month.test(token.bare));
}

/** From 1600 to 2099. */
function yearOf(run: readonly SpokenToken[]): number | undefined {
  const [century = '', ...rest] = run.flatMap(({ bare }) => bare.split('-'));
  const [zero = '', one = ''] = rest;
  const isOhSpoken = rest.length === 2 && isOh(zero);
  const [hundreds, ones] = [spokenNumber([century]), isOhSpoken ? digitOf(one) : spokenNumber(rest)];
  if (!hundreds || !ones || hundreds < 16 || hundreds > 20) return undefined;
  return isOhSpoken || (ones >= 10 && ones <= 99) ? hundreds * 100 + ones : undefined;
}

/** "Twenty twenty-five year olds", "in nineteen eighty four people died": the last of it belongs to what follows, or may. */
function isCounting(run: readonly SpokenToken[], next: SpokenToken | undefined): boolean {
  if (!next) return false;
  if (isUnit(next.bare) || afterTwenty.test(next.bare)) return true;
  const endsWithDigit = run.length > 2 && !isOh(run.at(-2)?.bare ?? '') && digitOf(run.at(-1)?.bare ?? '');
  return Boolean(endsWithDigit) && counted.test(next.bare) && !uncounted.test(next.bare);
}

/** Not half past seven, nor 19.99, nor "sixteen seventeen" for one of the two. */
function isYearAlone(year: number, preposition: string): boolean {
  const [hour, rest] = [Math.floor(year / 100), year % 100];
  if (rest >= 60) return neverBeforePrice.test(preposition) || (rest !== 95 && rest !== 99);
  return rest % 5 !== 0 && rest !== hour + 1;
}

/** "From nineteen thirty nine to nineteen forty five": either is one beyond doubt. */
function isRangeOfYears(tokens: readonly SpokenToken[], at: number, run: readonly SpokenToken[]): boolean {
  const [previous, next] = [tokens[at - 1], following(tokens, at, run)];
  const isYear = (other: readonly SpokenToken[], preposition: string) => {
    const value = runValue(other) ?? 0;
    if (value >= 1600 && value <= 2099) return true;
    const year = yearOf(other);
    return year !== undefined && isYearAlone(year, preposition);
  };
  if (rangeFrom.test(previous?.bare ?? '') && rangeTo.test(next?.bare ?? ''))
    return isYear(numberRun(tokens, at + run.length + 1), next?.bare ?? '');
  return rangeTo.test(previous?.bare ?? '') && isYear(numberRunBefore(tokens, at - 1), previous?.bare ?? '');
}
