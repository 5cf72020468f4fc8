/** From a window of sound to tokens: the language first, then the words with marks of time, always the likeliest next. */
import type { LanguageGuess } from '../recognizer.ts';
import { allowedLogits } from './allowed-logits.ts';
import type { WhisperListener, WhisperModel } from './whisper-model.ts';

/** Half of what the model has room for, as in training. */
const tokensMax = 224;

export interface HeardWindow {
  language: string;
  /** Words only; the marks of time are taken out. */
  tokens: number[];
  /** For each of these tokens, where each alignment head looked when it was chosen. */
  attentions: Float32Array[][];
  /** Where, in seconds of the window, the last finished stretch ends. */
  heardUntilSeconds: number;
  /** The mean logarithm of the probability of the chosen tokens. */
  confidence: number;
  noSpeechProbability: number;
}

export interface Listening {
  listener: WhisperListener;
  languages: LanguageGuess[];
  noSpeechProbability: number;
}

/** Hears the window once and says in which language it is, likeliest first. */
export async function beginListening(model: WhisperModel, samples: Float32Array): Promise<Listening> {
  const { vocabulary } = model;
  const listener = await model.listen(samples);
  const { logits } = await listener.step(vocabulary.start);
  const noSpeechProbability = Math.exp((logits[vocabulary.noSpeech] ?? 0) - logSumExp(logits));
  const languages = likeliestLanguages(logits, vocabulary.languages);
  return { listener, languages, noSpeechProbability };
}

/** From what the model would write after the mark of the beginning, which is the mark of a language. */
export function likeliestLanguages(
  logits: Float32Array,
  languages: ReadonlyMap<string, number>,
): LanguageGuess[] {
  const marks = [...languages];
  const markLogits = Float32Array.from(marks, ([, id]) => logits[id] ?? Number.NEGATIVE_INFINITY);
  const total = logSumExp(markLogits);
  return marks
    .map(([language], i) => ({ language, probability: Math.exp((markLogits[i] ?? 0) - total) }))
    .toSorted((a, b) => b.probability - a.probability);
}

export async function decodeWindow(
  model: WhisperModel,
  { listener, languages, noSpeechProbability }: Listening,
  wantedLanguage: string | null,
): Promise<HeardWindow> {
  const { vocabulary } = model;
  const language = wantedLanguage ?? languages[0]?.language ?? 'en';
  await listener.step(vocabulary.languages.get(language) ?? vocabulary.start + 1);
  let step = await listener.step(vocabulary.transcribe);
  const tokens: number[] = [];
  const attentions: Float32Array[][] = [];
  let logProbability = 0;
  while (tokens.length < tokensMax && !isStuck(tokens)) {
    const logits = allowedLogits(step.logits, tokens, vocabulary);
    const token = likeliest(logits);
    logProbability += (logits[token] ?? 0) - logSumExp(logits);
    if (token === vocabulary.end) break;
    tokens.push(token);
    step = await listener.step(token);
    attentions.push(step.attentions);
  }
  const lastMark = tokens.findLast((token) => vocabulary.isTime(token));
  return {
    language,
    tokens: tokens.filter((token) => vocabulary.isText(token)),
    attentions: attentions.filter((_, i) => vocabulary.isText(tokens[i] ?? vocabulary.end)),
    heardUntilSeconds: lastMark === undefined ? 0 : vocabulary.secondsOf(lastMark),
    confidence: logProbability / (tokens.length + 1),
    noSpeechProbability,
  };
}

function likeliest(logits: Float32Array): number {
  let best = 0;
  for (let id = 1; id < logits.length; id++) {
    if ((logits[id] ?? 0) > (logits[best] ?? 0)) best = id;
  }
  return best;
}

/** The same up to sixteen tokens five times in a row: the model has lost the thread, the rest would be the same again. */
function isStuck(tokens: readonly number[]): boolean {
  for (let length = 1; length <= 16; length++) {
    const from = tokens.length - 5 * length;
    if (from < 0) return false;
    let same = true;
    for (let i = from; same && i + length < tokens.length; i++) same = tokens[i] === tokens[i + length];
    if (same) return true;
  }
  return false;
}

export function logSumExp(logits: Float32Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > highest) highest = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - highest);
  return highest + Math.log(sum);
}
