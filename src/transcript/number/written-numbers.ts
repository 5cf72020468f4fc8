/**
 * English numbers as a reader expects them: `25%` for "twenty-five percent", `1984` for "in nineteen eighty four", `ABC123`
 * for letters and digits that are spelled. Only what is certain is changed; words that become one keep their time together.
 */
import type { RecognisedUtterance } from '../../timeline/utterance.ts';
import type { TimedWord } from '../../timeline/word.ts';
import {
  isDigits,
  isNumber,
  mayBeTwoNumbers,
  multiplier,
  numberRun,
  numberRunBefore,
  runValue,
  sharesMultiplier,
} from './number-run.ts';
import { spelledCode } from './spelled-code.ts';
import { spokenDecimal } from './spoken-decimal.ts';
import { digitOf } from './spoken-number.ts';
import { following, type Replacement, type SpokenToken, spokenToken } from './spoken-token.ts';
import { isSingularUnit } from './spoken-unit.ts';
import { spokenYear } from './spoken-year.ts';

/** Before these a number is part of an ordinal, a decade or a guess. */
const ordinal =
  /^(first|second|third|(four|fif|six|seven|eigh|nin|ten|eleven|twelf|\w+teen|\w+tie)th|hundredth|thousandth|half|halves|quarter|odd|some|something|ish|ten|teen|hundred|thousand|million|billion|\w+(?<=twent|thirt|fort|fift|sixt|sevent|eight|ninet)ie)s?$/u;
const joining = /^(or|to|and)$/u;
/** One thing, of which a number says the size: "a twenty five dollar ticket". */
const determiner = /^(an?|the|this|that|each|every|my|your|his|her|our|their)$/u;

/** Of an utterance in another language, or whose words have no times, nothing is changed. */
export function withWrittenNumbers(utterance: RecognisedUtterance): RecognisedUtterance {
  if (utterance.language !== 'en' || !utterance.words) return utterance;
  const words = writtenNumbers(utterance.words);
  if (words.length === utterance.words.length && words.every((word, i) => word === utterance.words?.[i]))
    return utterance;
  return {
    ...utterance,
    words,
    text: words
      .map(({ text }) => text)
      .join('')
      .trim(),
  };
}

export function writtenNumbers(words: readonly TimedWord[]): TimedWord[] {
  const tokens = words.map(spokenToken);
  const written: TimedWord[] = [];
  for (let at = 0; at < tokens.length; ) {
    const found = spelledCode(tokens, at) ?? numberAt(tokens, at);
    const count = found?.count ?? 1;
    const replaced = tokens.slice(at, at + count);
    if (found?.text) written.push(merged(replaced, found.text));
    else written.push(...replaced.map(({ word }) => word));
    at += count;
  }
  return written;
}

function merged(tokens: readonly SpokenToken[], text: string): TimedWord {
  const [first, last] = [tokens[0] as SpokenToken, tokens.at(-1) as SpokenToken];
  const space = /^\s*/u.exec(first.word.text)?.[0] ?? '';
  const sure = tokens.flatMap(({ word }) => word.confidence ?? []);
  return {
    text: space + first.before + text + last.after,
    startSample: first.word.startSample,
    endSample: last.word.endSample,
    ...(sure.length === tokens.length && { confidence: Math.min(...sure) }),
  };
}

function numberAt(tokens: readonly SpokenToken[], at: number): Replacement | undefined {
  const run = numberRun(tokens, at);
  const [first] = run;
  if (!first) return undefined;
  const decimal = spokenDecimal(tokens, at, run);
  const count = run.length + (decimal?.count ?? 0);
  const value = runValue(run);
  if (decimal && (decimal.text === null || value === undefined)) return { count, text: null };
  if (value === undefined) return { count, text: spokenYear(tokens, at, run) };
  const isWritten = isDigits(first.bare);
  const text = (isWritten ? first.own : decimal ? String(value) : written(value)) + (decimal?.text ?? '');
  if (mayBeTwoNumbers(tokens, at, run)) return { count, text: null };
  const percent = percentAt(tokens, at + count);
  if (percent > 0) return { count: count + percent, text: `${text}%` };
  if (decimal) return { count, text };
  return { count, text: isWritten || value < 10 || staysInWords(tokens, at, run) ? null : text };
}

/** How many words say "percent" here; none after a comma. */
function percentAt(tokens: readonly SpokenToken[], at: number): number {
  if (tokens[at - 1]?.after !== '') return 0;
  if (tokens[at]?.bare === 'percent') return 1;
  return tokens[at]?.bare === 'per' && tokens[at + 1]?.bare === 'cent' ? 2 : 0;
}

/** Of the twenty-first, twenty odd, "a hundred" and thousands of them; "five or ten"; a sentence that begins with one word. */
function staysInWords(tokens: readonly SpokenToken[], at: number, run: readonly SpokenToken[]): boolean {
  const previous = tokens[at - 1];
  const next = following(tokens, at, run);
  const beyond = tokens[at + run.length + 1];
  if (isInList(tokens, at, run) || sharesMultiplier(tokens, at, run)) return true;
  if (next && (ordinal.test(next.bare) || multiplier.test(next.bare) || isNumber(next))) return true;
  if (previous?.after === '' && (multiplier.test(previous.bare) || isNumber(previous))) return true;
  // Twenty past ten.
  if (next?.bare === 'past' || previous?.bare === 'past') return true;
  // One hundred and first, ten and a half.
  if (next?.bare === 'and' && ordinal.test(beyond?.bare ?? '') && multiplier.test(run.at(-1)?.bare ?? ''))
    return true;
  if (next?.bare === 'and' && beyond?.bare === 'a' && ordinal.test(tokens[at + run.length + 2]?.bare ?? ''))
    return true;
  if (run.length > 1 || run[0]?.bare.includes('-')) return countsUnits(run, previous, next);
  const isSmall = (other: readonly SpokenToken[]) => other.length === 1 && (runValue(other) ?? 10) < 10;
  if (joining.test(next?.bare ?? '') && isSmall(numberRun(tokens, at + 2))) return true;
  if (joining.test(previous?.bare ?? '') && isSmall(numberRunBefore(tokens, at - 1))) return true;
  return /^\p{Lu}/u.test(run[0]?.own ?? '');
}

/** In a list of numbers all are written alike: "ten, eleven and twelve". */
function isInList(tokens: readonly SpokenToken[], at: number, run: readonly SpokenToken[]): boolean {
  const endsWithComma = (token: SpokenToken | undefined) =>
    token !== undefined && token.after === ',' && isNumber(token);
  const [last, next] = [run.at(-1), tokens[at + run.length]];
  if (endsWithComma(last) && next && isNumber(next)) return true;
  if (endsWithComma(tokens[at - 1])) return true;
  if (!joining.test(tokens[at - 1]?.bare ?? '')) return false;
  return endsWithComma(tokens[at - 2]) || endsWithComma(tokens[at - 3]);
}

/** Twenty five dollar bills are twenty, or of twenty-five dollars. */
function countsUnits(
  run: readonly SpokenToken[],
  previous: SpokenToken | undefined,
  next: SpokenToken | undefined,
): boolean {
  const endsWithDigit = run.length > 1 && digitOf(run.at(-1)?.bare ?? '') !== undefined;
  if (!endsWithDigit || run.at(-2)?.bare === 'and' || !next || !isSingularUnit(next.bare)) return false;
  return !determiner.test(previous?.bare ?? '');
}

/** Ten thousand and more in groups of three. */
function written(number: number): string {
  return number >= 10_000 ? number.toLocaleString('en-US') : String(number);
}
