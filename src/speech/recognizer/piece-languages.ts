/** The language of each of several pieces of speech that follow each other. */
import { type Utterance, voicedSeconds } from '../../timeline/utterance.ts';
import type { LanguageGuess } from './recognizer.ts';

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
}

/** Below this a guess is none. */
const probabilityMin = 0.5;
/** What another language than the expected one must have. */
const probabilityOther = 0.6;
const probabilityOtherAlone = 0.9;
/** With less voice it is taken for the language of what is said nearest to it. */
const voicedSecondsMin = 1;

/** `expected` is the language of the recording: what cannot be told is taken for it. */
export async function pieceLanguages(
  pieces: readonly LanguagePiece[],
  expected: string,
  detectors: PieceDetectors,
): Promise<string[]> {
  const told: (LanguageGuess | null)[] = [];
  for (const { piece, language } of pieces) {
    if (language !== null) told.push({ language, probability: 1 });
    else if (voicedSeconds([piece]) < voicedSecondsMin) told.push(null);
    else told.push(likeliest(await detectors.quick([piece]), expected));
  }
  const guesses = told.map(
    (guess, i) => guess ?? nearest(pieces, told, i) ?? { language: expected, probability: 0 },
  );
  const languages: string[] = [];
  while (languages.length < pieces.length) {
    const from = languages.length;
    const { language: guessed } = guesses[from] as LanguageGuess;
    let to = from + 1;
    while (guesses[to]?.language === guessed) to++;
    const run = pieces.slice(from, to).map(({ piece }) => piece);
    const own = guesses.slice(from, to);
    const language = guessed === expected ? expected : await agreed(run, own, expected, detectors);
    for (let i = from; i < to; i++) languages.push(language);
  }
  return languages;
}

function nearest(
  pieces: readonly LanguagePiece[],
  told: readonly (LanguageGuess | null)[],
  at: number,
): LanguageGuess | null {
  const before = told.findLastIndex((guess, i) => guess !== null && i < at);
  const after = told.findIndex((guess, i) => guess !== null && i > at);
  const pauseBefore = (pieces[at]?.piece.startSample ?? 0) - (pieces[before]?.piece.endSample ?? -Infinity);
  const pauseAfter = (pieces[after]?.piece.startSample ?? Infinity) - (pieces[at]?.piece.endSample ?? 0);
  return told[pauseBefore <= pauseAfter ? before : after] ?? null;
}

/** Another language than the expected one is believed when the thorough detector hears one, too. */
async function agreed(
  run: readonly Utterance[],
  guesses: readonly LanguageGuess[],
  expected: string,
  { thorough }: PieceDetectors,
): Promise<string> {
  if (thorough) {
    const { language, probability } = likeliest(await thorough(run), expected);
    return probability >= probabilityOther ? language : expected;
  }
  const sure = guesses.find(({ probability }) => probability >= probabilityOtherAlone);
  return sure?.language ?? expected;
}

function likeliest([first]: readonly LanguageGuess[], expected: string): LanguageGuess {
  return first && first.probability >= probabilityMin ? first : { language: expected, probability: 0 };
}
