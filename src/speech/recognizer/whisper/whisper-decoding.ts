/** Decoding of one audio window: the language token first, then text between timestamp tokens. */
import { deflateSync } from 'node:zlib';
import type { DecoderState } from '../decoding/decoder-state.ts';
import type { KeywordBias } from '../decoding/keyword-bias.ts';
import { keywordSearch } from '../decoding/keyword-search.ts';
import { seededRandom } from '../decoding/seeded-random.ts';
import { logSumExp } from '../decoding/token-choice.ts';
import { drawnSequence, type SearchRules, type TokenSequence } from '../decoding/token-search.ts';
import type { LanguageGuess, RecognizerInput } from '../recognizer.ts';
import { maskedLogits } from './masked-logits.ts';
import type { WhisperModel } from './whisper-model.ts';

/** Whisper's own: above this, nobody speaks. Clips of speech stand below 0.1. */
export const noSpeechProbabilityMax = 0.6;
/** Half of what the model has room for, as in training. */
const tokensMax = 224;
/** Whisper's own thresholds: text that compresses more repeats itself, and text less likely is mostly wrong. */
const compressionRatioMax = 2.4;
const averageLogProbabilityMin = -1;
/** Then text is drawn at these temperatures until it passes. Whisper's own are five, which would take most of a job's time. */
const temperatures = [0.2, 0.6, 1];
const sequencesDrawn = 5;

export interface DecodedWindow {
  language: string;
  /** Text only; timestamp tokens are taken out. */
  tokens: readonly number[];
  /** For each of these tokens, the cross-attention of each alignment head. */
  attentions: readonly Float32Array[][];
  probabilities: readonly number[];
  /** The last timestamp, in seconds of the window. */
  decodedUntilSeconds: number;
  /** The mean log probability of the chosen tokens. */
  averageLogProbability: number;
  noSpeechProbability: number;
}

export interface StartedDecoding {
  decoder: DecoderState;
  languages: LanguageGuess[];
  noSpeechProbability: number;
}

/** Encodes the window and decodes its first token: the languages, likeliest first. */
export async function startDecoding(model: WhisperModel, samples: Float32Array): Promise<StartedDecoding> {
  const { vocabulary } = model;
  const decoder = await model.decoderAfter(samples, [vocabulary.start]);
  const logits = decoder.rows[0]?.logits ?? new Float32Array();
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
  {
    language: wantedLanguage,
    translate,
    signal,
    beams,
    bias,
  }: Pick<RecognizerInput, 'language' | 'translate' | 'signal'> & {
    beams: number;
    bias: KeywordBias | undefined;
  },
): Promise<DecodedWindow> {
  const { vocabulary } = model;
  const language = wantedLanguage ?? languages[0]?.language ?? 'en';
  const task = translate ? vocabulary.translate : vocabulary.transcribe;
  const inLanguage = await decoder.next([vocabulary.languages.get(language) ?? vocabulary.start + 1], [0]);
  const start = await inLanguage.next([task], [0]);
  const { tokens, attentions, logProbabilities, averageLogProbability } = await likelySequence(model, start, {
    beams,
    bias,
    signal,
    isSpeech: noSpeechProbability <= noSpeechProbabilityMax,
  });
  const lastTimestamp = tokens.findLast((token) => vocabulary.isTimestamp(token));
  const isText = (_: unknown, i: number) => vocabulary.isText(tokens[i] ?? vocabulary.end);
  return {
    language,
    tokens: tokens.filter(isText),
    attentions: attentions.filter(isText),
    probabilities: logProbabilities.filter(isText).map(Math.exp),
    decodedUntilSeconds: lastTimestamp === undefined ? 0 : vocabulary.secondsOf(lastTimestamp),
    averageLogProbability,
    noSpeechProbability,
  };
}

/** With one beam nothing is drawn: that is the quick way. Nor where nobody speaks: what is drawn there is invented. */
async function likelySequence(
  { vocabulary }: WhisperModel,
  start: DecoderState,
  {
    beams,
    bias,
    signal,
    isSpeech,
  }: { beams: number; bias: KeywordBias | undefined; signal: AbortSignal; isSpeech: boolean },
): Promise<TokenSequence> {
  const rules: SearchRules = {
    end: vocabulary.end,
    tokensMax,
    allowed: (logits, tokens) => maskedLogits(logits, tokens, vocabulary),
  };
  const tried = [await keywordSearch(start, rules, { beams, bias, signal })];
  // The same audio always gets the same text.
  const random = seededRandom(1);
  const passes = ({ tokens, averageLogProbability }: TokenSequence) =>
    averageLogProbability >= averageLogProbabilityMin &&
    compressionRatio(vocabulary.textOf(tokens)) <= compressionRatioMax;
  for (const temperature of beams > 1 && isSpeech ? temperatures : []) {
    if (tried.some(passes)) break;
    tried.push(await drawnSequence(start, rules, { sequences: sequencesDrawn, temperature, random, signal }));
  }
  return tried.find(passes) ?? (tried[0] as TokenSequence);
}

function compressionRatio(text: string): number {
  const bytes = Buffer.from(text);
  return bytes.length / deflateSync(bytes).length;
}
