/** The language of each of several pieces of speech that follow each other. */
import { type Utterance, voicedSeconds } from '../../../timeline/utterance.ts';
import type { LanguageGuess } from '../recognizer.ts';

export interface PieceDetectors {
  /** Quick; asked for every piece. */
  quick(pieces: readonly Utterance[]): Promise<LanguageGuess[]>;
  /** Slow; asked once for pieces in a row that seem to be in another language. Null where it is not installed. */
  thorough: ((pieces: readonly Utterance[]) => Promise<LanguageGuess[]>) | null;
}

export interface LanguagePiece {
  piece: Utterance;
  /** Null: to be found out. */
  language: string | null;
  /** Its text in the expected language is likely enough to stand where the quick detector cannot tell. */
  isLikely: boolean;
}

/** Below this a guess is none. */
const probabilityMin = 0.5;
const unknown = '';
/** What another language than the expected one must have. */
const probabilityOther = 0.6;
const probabilityOtherAlone = 0.9;
const voicedSecondsMin = 1;
/** The English engine was not sure of it: speech in another language is the nearer one up to this times the pause. */
const pauseShareOther = 1.5;

/** Whether there is too little voice to tell: it is taken for the language of what is said nearest to it. */
export function isTooShort(piece: Utterance): boolean {
  return voicedSeconds([piece]) < voicedSecondsMin;
}

/** `expected` is the language of the recording: what cannot be told is taken for it. */
export async function pieceLanguages(
  pieces: readonly LanguagePiece[],
  expected: string,
  detectors: PieceDetectors,
): Promise<string[]> {
  const told: (LanguageGuess | null)[] = [];
  for (const { piece, language, isLikely } of pieces) {
    if (language !== null) told.push({ language, probability: 1 });
    else if (isTooShort(piece)) told.push(null);
    else told.push(quickGuess(await detectors.quick([piece]), isLikely ? expected : unknown));
  }
  const guesses = told.map(
    (guess, i) => guess ?? nearest(pieces, told, i, expected) ?? { language: expected, probability: 0 },
  );
  const languages: string[] = [];
  while (languages.length < pieces.length) {
    const from = languages.length;
    const to = endOfRun(guesses, from, expected);
    const run = pieces.slice(from, to).map(({ piece }) => piece);
    const own = guesses.slice(from, to);
    const isExpected = guesses[from]?.language === expected;
    const language = isExpected ? expected : await agreed(run, own, expected, detectors);
    for (let i = from; i < to; i++) languages.push(language);
  }
  return languages;
}

/** Pieces in one language, and those beside them whose language is only not the expected one. */
function endOfRun(guesses: readonly LanguageGuess[], from: number, expected: string): number {
  let language = guesses[from]?.language;
  let to = from + 1;
  for (; to < guesses.length; to++) {
    const next = guesses[to]?.language;
    if (next === language || (next === unknown && language !== expected)) continue;
    if (language !== unknown || next === expected) break;
    language = next;
  }
  return to;
}

function nearest(
  pieces: readonly LanguagePiece[],
  told: readonly (LanguageGuess | null)[],
  at: number,
  expected: string,
): LanguageGuess | null {
  const before = told.findLastIndex((guess, i) => guess !== null && i < at);
  const after = told.findIndex((guess, i) => guess !== null && i > at);
  const weighed = (pause: number, neighbour: number) =>
    expected === 'en' && told[neighbour]?.language !== 'en' ? pause / pauseShareOther : pause;
  const pauseBefore = (pieces[at]?.piece.startSample ?? 0) - (pieces[before]?.piece.endSample ?? -Infinity);
  const pauseAfter = (pieces[after]?.piece.startSample ?? Infinity) - (pieces[at]?.piece.endSample ?? 0);
  return told[weighed(pauseBefore, before) <= weighed(pauseAfter, after) ? before : after] ?? null;
}

/** Another language than the expected one is believed when the thorough detector hears one, too. */
async function agreed(
  run: readonly Utterance[],
  guesses: readonly LanguageGuess[],
  expected: string,
  { thorough }: PieceDetectors,
): Promise<string> {
  if (thorough) {
    const [first] = await thorough(run);
    return first && first.probability >= probabilityOther ? first.language : expected;
  }
  const sure = guesses.find(({ probability }) => probability >= probabilityOtherAlone);
  return sure?.language ?? expected;
}

function quickGuess([first]: readonly LanguageGuess[], otherwise: string): LanguageGuess {
  return first && first.probability >= probabilityMin ? first : { language: otherwise, probability: 0 };
}
