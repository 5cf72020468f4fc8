/**
 * English numbers as a reader expects them: `25%` for "twenty-five percent", `1984` for "in nineteen eighty four", `ABC123`
 * for letters and digits that are spelled. Only what is certain is changed; words that become one keep their time together.
 */
import type { RecognisedUtterance } from '../timeline/utterance.ts';
import type { TimedWord } from '../timeline/word.ts';
import { digitOf, isNumberWord, spokenNumber } from './spoken-number.ts';

interface Token {
  word: TimedWord;
  /** Lower case, without marks around it. */
  bare: string;
  /** As it was written, without marks around it. */
  own: string;
  before: string;
  after: string;
}

/** Of so many words this is to be written; null: they stay as they are, together. */
interface Replacement {
  count: number;
  text: string | null;
}

const digitsOnly = /^\d[\d,]*(\.\d+)?$/u;
/** After these a number is part of an ordinal, a decade or a guess. */
const ordinal =
  /^(first|second|third|(four|fif|six|seven|eigh|nin|ten|eleven|twelf|\w+teen|\w+tie)th|hundredth|thousandth|half|halves|quarter|odd|some|something|ish|hundred|thousand|million|billion|\w+(?<=twent|thirt|fort|fift|sixt|sevent|eight|ninet)ie)s?$/u;
const multiplier = /^(hundred|thousand|million|billion|trillion)$/u;
const month = /^(january|february|march|april|may|june|july|august|september|october|november|december)$/u;
const beforeYear =
  /^(in|of|to|and|between|since|from|until|till|by|year|before|after|around|during|early|late|summer|winter|spring|autumn|fall)$/u;
const joining = /^(or|to|and)$/u;

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
  const tokens = words.map(tokenOf);
  const written: TimedWord[] = [];
  for (let at = 0; at < tokens.length; ) {
    const found = codeAt(tokens, at) ?? numberAt(tokens, at);
    const count = found?.count ?? 1;
    const replaced = tokens.slice(at, at + count);
    if (found?.text) written.push(merged(replaced, found.text));
    else written.push(...replaced.map(({ word }) => word));
    at += count;
  }
  return written;
}

function tokenOf(word: TimedWord): Token {
  const [, before = '', own = '', after = ''] =
    /^([^\p{L}\p{N}]*)(.*?)([^\p{L}\p{N}%]*)$/su.exec(word.text.trim()) ?? [];
  return { word, bare: own.toLowerCase(), own, before, after };
}

function merged(tokens: readonly Token[], text: string): TimedWord {
  const [first, last] = [tokens[0] as Token, tokens.at(-1) as Token];
  const space = /^\s*/u.exec(first.word.text)?.[0] ?? '';
  const sure = tokens.flatMap(({ word }) => word.confidence ?? []);
  return {
    text: space + first.before + text + last.after,
    startSample: first.word.startSample,
    endSample: last.word.endSample,
    ...(sure.length === tokens.length && { confidence: Math.min(...sure) }),
  };
}

/** The words from here on that belong together: nothing stands between them. */
function unbroken(tokens: readonly Token[], at: number, belongs: (token: Token) => boolean): Token[] {
  const run: Token[] = [];
  for (let i = at; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if (!belongs(token) || (run.length > 0 && token.before !== '')) break;
    run.push(token);
    if (token.after !== '') break;
  }
  return run;
}

/** Letters and digits that are spelled one by one, at least two of them letters. "A" and "I" alone are words. */
function codeAt(tokens: readonly Token[], at: number): Replacement | undefined {
  const isSpelled = ({ own, bare }: Token) =>
    /^[A-Z]$/u.test(own) || digitOf(bare) !== undefined || /^\d$/u.test(own);
  const run = unbroken(tokens, at, isSpelled);
  const letters = run.filter(({ own }) => /^[A-Z]$/u.test(own));
  if (run.length < 3 || letters.length < 2 || letters.every(({ own }) => own === 'A' || own === 'I'))
    return undefined;
  return { count: run.length, text: run.map(({ own, bare }) => digitOf(bare) ?? own).join('') };
}

function numberAt(tokens: readonly Token[], at: number): Replacement | undefined {
  const run = numberRun(tokens, at);
  if (run.length === 0) return undefined;
  const [previous, first] = [tokens[at - 1], run[0] as Token];
  const next = tokens[at + run.length];
  const bares = run.map(({ bare }) => bare);
  const decimal = run.at(-1)?.after === '' ? decimalAt(tokens, at + run.length, next) : undefined;
  const value = digitsOnly.test(first.bare) && run.length === 1 ? first.own : spokenNumber(bares);
  if (value === undefined) return { count: run.length, text: yearOf(previous, bares) };
  const [number, count] = decimal
    ? [`${value}.${decimal.digits}`, run.length + decimal.count]
    : [value, run.length];
  const percent = percentAt(tokens, at + count);
  if (percent > 0) return { count: count + percent, text: `${written(number)}%` };
  if (decimal) return { count, text: written(number) };
  const stays = staysInWords({
    previous,
    next,
    run,
    beyond: tokens[at + run.length + 1],
    beforePrevious: tokens[at - 2],
  });
  return { count, text: typeof value === 'string' || value < 10 || stays ? null : written(value) };
}

/** All words of numbers in a row, with an "and" inside; or one number in digits. */
function numberRun(tokens: readonly Token[], at: number): Token[] {
  const first = tokens[at];
  if (first && digitsOnly.test(first.bare)) return [first];
  if (!first || !isNumberWord(first.bare)) return [];
  const run = unbroken(tokens, at, ({ bare }) => isNumberWord(bare) || bare === 'and');
  const joins = run.map(({ bare }, i) => bare !== 'and' || multiplier.test(run[i - 1]?.bare ?? ''));
  const end = joins.indexOf(false);
  const cut = end < 0 ? run : run.slice(0, end);
  return cut.at(-1)?.bare === 'and' ? cut.slice(0, -1) : cut;
}

/** `point five`. */
function decimalAt(tokens: readonly Token[], at: number, point: Token | undefined) {
  if (point?.bare !== 'point' || point.after !== '') return undefined;
  const digits = unbroken(tokens, at + 1, ({ bare }) => digitOf(bare) !== undefined);
  if (digits.length === 0) return undefined;
  return { digits: digits.map(({ bare }) => digitOf(bare)).join(''), count: digits.length + 1 };
}

/** How many words say "percent" here; none after a comma. */
function percentAt(tokens: readonly Token[], at: number): number {
  if (tokens[at - 1]?.after !== '') return 0;
  if (tokens[at]?.bare === 'percent') return 1;
  return tokens[at]?.bare === 'per' && tokens[at + 1]?.bare === 'cent' ? 2 : 0;
}

/** `nineteen eighty four` after a word that years stand behind. */
function yearOf(previous: Token | undefined, bares: readonly string[]): string | null {
  if (previous?.after !== '' || !(beforeYear.test(previous.bare) || month.test(previous.bare))) return null;
  const parts = bares.flatMap((word) => word.split('-'));
  const century = spokenNumber(parts.slice(0, 1));
  const rest = spokenNumber(parts.slice(1));
  if (century === undefined || rest === undefined || century < 16 || century > 20) return null;
  return rest >= 10 && rest <= 99 ? `${century}${rest}` : null;
}

interface Surroundings {
  previous: Token | undefined;
  beforePrevious: Token | undefined;
  next: Token | undefined;
  beyond: Token | undefined;
  run: readonly Token[];
}

/** Of the twenty-first, twenty odd, "a hundred" and thousands of them; "five or ten"; a sentence that begins with one word. */
function staysInWords({ previous, beforePrevious, next, beyond, run }: Surroundings): boolean {
  const isSmall = (token: Token | undefined) => token !== undefined && digitOf(token.bare) !== undefined;
  const isNumber = (token: Token | undefined) =>
    token !== undefined && (isNumberWord(token.bare) || digitsOnly.test(token.bare));
  const last = run.at(-1);
  // In a list of numbers all are written alike.
  if ((last?.after === ',' && isNumber(next)) || (previous?.after === ',' && isNumber(previous))) return true;
  if (last?.after === '' && next && (ordinal.test(next.bare) || multiplier.test(next.bare) || isNumber(next)))
    return true;
  if (previous?.after === '' && (multiplier.test(previous.bare) || isNumber(previous))) return true;
  // One hundred and first.
  if (multiplier.test(last?.bare ?? '') && next?.bare === 'and' && ordinal.test(beyond?.bare ?? ''))
    return true;
  if (run.length > 1 || run[0]?.bare.includes('-')) return false;
  if (next && joining.test(next.bare) && isSmall(beyond)) return true;
  if (previous && joining.test(previous.bare) && isSmall(beforePrevious)) return true;
  return /^\p{Lu}/u.test(run[0]?.own ?? '');
}

/** Ten thousand and more in groups of three. */
function written(number: number | string): string {
  return typeof number === 'number' && number >= 10_000 ? number.toLocaleString('en-US') : String(number);
}
