/** Recognises each stretch of a chunk in the language that is spoken in it. */
import type { Chunk } from '../../timeline/chunk-plan.ts';
import type { RecognisedUtterance, Utterance } from '../../timeline/utterance.ts';
import { confidentUtterance } from './confident-utterance.ts';
import {
  isLikely,
  isSure,
  languagePieces,
  letterCount,
  speaksAll,
  utteranceOf,
} from './language/language-pieces.ts';
import { isTooShort, type PieceDetectors, pieceLanguages } from './language/piece-languages.ts';
import type { LanguageGuess, Recognizer, RecognizerInput } from './recognizer.ts';

export interface LanguageEngines {
  /** Likeliest first. */
  quick(input: RecognizerInput): Promise<LanguageGuess[]>;
  thorough: ((input: RecognizerInput) => Promise<LanguageGuess[]>) | null;
  /** Null where the model for this language is not installed. */
  recognizerOf(language: string): Promise<Recognizer | null>;
  /** Hears English again that the first engine is unsure of; null where there is none. */
  secondOpinion(): Promise<Recognizer | null>;
}

/** An utterance, or the part of one that is in one language. */
interface Part {
  utterance: Utterance;
  language: string;
  /** Already recognised. */
  heard?: RecognisedUtterance | undefined;
}

/**
 * `input.language` is that of the recording. English is recognised first, which is quick, and what the engine is sure of
 * is asked nothing more. Speech in a language whose model is missing gets no text rather than an invented one.
 */
export async function recogniseByLanguage(
  input: RecognizerInput & { language: string },
  engines: LanguageEngines,
): Promise<RecognisedUtterance[]> {
  // Of a translation the probabilities say how it is put, not what was heard.
  if (input.translate) return recogniseParts(input, engines);
  const recognised = await recogniseParts(input, engines);
  const isMixed = recognised.some(({ language }) => language !== input.language);
  const confident: RecognisedUtterance[] = [];
  for (const heard of recognised) {
    const hearAgain = async () => {
      input.signal.throwIfAborted();
      // Only English has a second engine.
      const other = heard.language === 'en' ? await engines.secondOpinion() : null;
      const [again] =
        (await other?.recognise({ ...inputOf(input, [heard], input.chunk), language: 'en' })) ?? [];
      return again ?? null;
    };
    const isLanguageGuessed = isMixed && isTooShort(heard);
    confident.push(await confidentUtterance(heard, { isLanguageGuessed }, hearAgain));
  }
  return confident;
}

async function recogniseParts(
  input: RecognizerInput & { language: string },
  engines: LanguageEngines,
): Promise<RecognisedUtterance[]> {
  const { chunk, language: expected } = input;
  const heard = new Map<number, RecognisedUtterance>();
  if (expected === 'en') {
    const english = await engines.recognizerOf('en');
    for (const one of (await english?.recognise(input)) ?? []) heard.set(one.startSample, one);
  }
  const parts = await partsOf(input, heard, engines);
  const recognised: RecognisedUtterance[] = [];
  for (let from = 0; from < parts.length; ) {
    const { heard: text, language, utterance } = parts[from] as Part;
    if (text) {
      recognised.push(text);
      from++;
      continue;
    }
    let to = from + 1;
    while (to < parts.length && !parts[to]?.heard && parts[to]?.language === language) to++;
    const spoken = parts.slice(from, to).map((part) => part.utterance);
    const between = {
      startSample: middle(parts[from - 1]?.utterance.endSample, utterance.startSample) ?? chunk.startSample,
      endSample: middle(spoken.at(-1)?.endSample ?? 0, parts[to]?.utterance.startSample) ?? chunk.endSample,
    };
    const recognizer = await engines.recognizerOf(language);
    if (recognizer)
      recognised.push(...(await recogniseAll(recognizer, inputOf(input, spoken, between), language)));
    from = to;
  }
  return recognised;
}

/** Whisper now and then skips an utterance of several: then each is recognised by itself, and the longer text taken. */
async function recogniseAll(
  recognizer: Recognizer,
  input: RecognizerInput,
  language: string,
): Promise<RecognisedUtterance[]> {
  const { utterances } = input.chunk;
  const together = await recognizer.recognise({ ...input, language });
  const textOf = (utterance: Utterance) =>
    together.find((one) => one.startSample === utterance.startSample)?.text ?? '';
  if (utterances.length === 1 || utterances.every((one) => speaksAll(textOf(one), one))) return together;
  const alone: RecognisedUtterance[] = [];
  for (const [i, utterance] of utterances.entries()) {
    input.signal.throwIfAborted();
    const between = {
      startSample: middle(utterances[i - 1]?.endSample, utterance.startSample) ?? input.chunk.startSample,
      endSample: middle(utterance.endSample, utterances[i + 1]?.startSample) ?? input.chunk.endSample,
    };
    alone.push(...(await recognizer.recognise({ ...inputOf(input, [utterance], between), language })));
  }
  const letters = (texts: readonly RecognisedUtterance[]) =>
    texts.reduce((sum, { text }) => sum + letterCount(text), 0);
  return letters(alone) > letters(together) ? alone : together;
}

async function partsOf(
  input: RecognizerInput & { language: string },
  heard: ReadonlyMap<number, RecognisedUtterance>,
  { quick, thorough }: LanguageEngines,
): Promise<Part[]> {
  const { chunk, language: expected, signal } = input;
  const pieces = chunk.utterances.flatMap((utterance) => {
    const own = heard.get(utterance.startSample);
    return languagePieces(utterance).map((piece) => ({
      utterance,
      piece,
      language: own && isSure(own, piece) ? 'en' : null,
      isLikely: expected !== 'en' || (own !== undefined && isLikely(own, piece)),
    }));
  });
  const about = (spoken: readonly Utterance[]) => {
    signal.throwIfAborted();
    return inputOf(input, spoken, chunk);
  };
  const detectors: PieceDetectors = {
    quick: (spoken) => quick(about(spoken)),
    thorough: thorough && ((spoken) => thorough(about(spoken))),
  };
  const languages = await pieceLanguages(pieces, expected, detectors);
  const languageOf = new Map(pieces.map(({ piece }, i) => [piece, languages[i] ?? expected]));
  return chunk.utterances.flatMap((utterance) => {
    const own = pieces.filter((piece) => piece.utterance === utterance).map(({ piece }) => piece);
    const parts: Part[] = [];
    for (const piece of own) {
      const language = languageOf.get(piece) ?? expected;
      const last = parts.at(-1);
      if (last?.language !== language) parts.push({ utterance: piece, language });
      else last.utterance = utteranceOf([...last.utterance.spans, ...piece.spans]);
    }
    const [only] = parts;
    if (parts.length !== 1 || !only) return parts;
    const isHeard = expected === 'en' && only.language === 'en';
    if (!isHeard) return [{ utterance, language: only.language }];
    const text = heard.get(utterance.startSample);
    return text ? [{ utterance, language: 'en', heard: text }] : [];
  });
}

/** The same request for some of its utterances, which follow each other between these samples. */
function inputOf(
  input: RecognizerInput,
  utterances: readonly Utterance[],
  { startSample, endSample }: Pick<Chunk, 'startSample' | 'endSample'>,
): RecognizerInput {
  const { chunk } = input;
  const samples = input.samples.subarray(startSample - chunk.startSample, endSample - chunk.startSample);
  return {
    ...input,
    samples,
    chunk: { index: chunk.index, startSample, endSample, utterances: [...utterances] },
  };
}

function middle(from: number | undefined, to: number | undefined): number | undefined {
  return from === undefined || to === undefined ? undefined : Math.floor((from + to) / 2);
}
