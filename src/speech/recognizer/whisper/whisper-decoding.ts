/** Greedy decoding of one audio window: the language token first, then text between timestamp tokens. */
import type { CachedDecoder } from '../cached-decoder.ts';
import type { LanguageGuess, RecognizerInput } from '../recognizer.ts';
import { isRepeating, likeliest, logSumExp } from '../token-choice.ts';
import { maskedLogits } from './masked-logits.ts';
import type { WhisperModel } from './whisper-model.ts';

/** Half of what the model has room for, as in training. */
const tokensMax = 224;

export interface DecodedWindow {
  language: string;
  /** Text only; timestamp tokens are taken out. */
  tokens: number[];
  /** For each of these tokens, the cross-attention of each alignment head. */
  attentions: Float32Array[][];
  probabilities: number[];
  /** The last timestamp, in seconds of the window. */
  decodedUntilSeconds: number;
  /** The mean log probability of the chosen tokens. */
  averageLogProbability: number;
  noSpeechProbability: number;
}

interface StartedDecoding {
  decoder: CachedDecoder;
  languages: LanguageGuess[];
  noSpeechProbability: number;
}

/** Encodes the window and decodes its first token: the languages, likeliest first. */
export async function startDecoding(model: WhisperModel, samples: Float32Array): Promise<StartedDecoding> {
  const { vocabulary } = model;
  const decoder = await model.encode(samples);
  const { logits } = await decoder.step(vocabulary.start);
  const noSpeechProbability = Math.exp((logits[vocabulary.noSpeech] ?? 0) - logSumExp(logits));
  const languages = rankedLanguages(logits, vocabulary.languages);
  return { decoder, languages, noSpeechProbability };
}

/** From the logits after the start token, which is followed by a language token. */
export function rankedLanguages(
  logits: Float32Array,
  languages: ReadonlyMap<string, number>,
): LanguageGuess[] {
  const tokens = [...languages];
  const tokenLogits = Float32Array.from(tokens, ([, id]) => logits[id] ?? Number.NEGATIVE_INFINITY);
  const total = logSumExp(tokenLogits);
  return tokens
    .map(([language], i) => ({ language, probability: Math.exp((tokenLogits[i] ?? 0) - total) }))
    .toSorted((a, b) => b.probability - a.probability);
}

export async function decodeWindow(
  model: WhisperModel,
  { decoder, languages, noSpeechProbability }: StartedDecoding,
  { language: wantedLanguage, translate }: Pick<RecognizerInput, 'language' | 'translate'>,
): Promise<DecodedWindow> {
  const { vocabulary } = model;
  const language = wantedLanguage ?? languages[0]?.language ?? 'en';
  await decoder.step(vocabulary.languages.get(language) ?? vocabulary.start + 1);
  let step = await decoder.step(translate ? vocabulary.translate : vocabulary.transcribe);
  const tokens: number[] = [];
  const attentions: Float32Array[][] = [];
  const logProbabilities: number[] = [];
  while (tokens.length < tokensMax && !isRepeating(tokens)) {
    const logits = maskedLogits(step.logits, tokens, vocabulary);
    const token = likeliest(logits);
    logProbabilities.push((logits[token] ?? 0) - logSumExp(logits));
    if (token === vocabulary.end) break;
    tokens.push(token);
    step = await decoder.step(token);
    attentions.push(step.attentions);
  }
  const lastTimestamp = tokens.findLast((token) => vocabulary.isTimestamp(token));
  const isText = (_: unknown, i: number) => vocabulary.isText(tokens[i] ?? vocabulary.end);
  const sum = logProbabilities.reduce((total, one) => total + one, 0);
  return {
    language,
    tokens: tokens.filter(isText),
    attentions: attentions.filter(isText),
    probabilities: logProbabilities.filter(isText).map(Math.exp),
    decodedUntilSeconds: lastTimestamp === undefined ? 0 : vocabulary.secondsOf(lastTimestamp),
    averageLogProbability: sum / (tokens.length + 1),
    noSpeechProbability,
  };
}
