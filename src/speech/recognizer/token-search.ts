/** The likeliest sequence of tokens: by beam search, of which one beam is greedy decoding, or the best of several drawn. */
import type { DecoderRow } from './decoder-state.ts';
import { drawnToken, isRepeating, likeliestTokens, logSumExp } from './token-choice.ts';

/** What a `DecoderState` is to the search. */
export interface SearchState {
  readonly rows: readonly DecoderRow[];
  next(tokens: readonly number[], parents: readonly number[]): Promise<SearchState>;
}

export interface SearchRules {
  /** Ends a sequence and is not part of it. */
  end: number;
  tokensMax: number;
  /** The logits with what may not come after these tokens at minus infinity. */
  allowed(logits: Float32Array, tokens: readonly number[]): Float32Array;
}

export interface TokenSequence {
  tokens: readonly number[];
  logProbabilities: readonly number[];
  /** For each token, the cross-attention of each alignment head. */
  attentions: readonly Float32Array[][];
  /** The mean over the tokens and the end. */
  averageLogProbability: number;
}

interface Hypothesis extends Omit<TokenSequence, 'averageLogProbability'> {
  sum: number;
}

/** A hypothesis and the token that may come next. */
interface Extension {
  parent: number;
  token: number;
  logProbability: number;
  sum: number;
}

/** How many sequences are followed, and which extensions of each; the best of all of them go on. */
interface Choice {
  width: number;
  tokensOf(logits: Float32Array, isFirst: boolean): number[];
}

const empty: Hypothesis = { tokens: [], logProbabilities: [], attentions: [], sum: 0 };

/** `start` has one row. */
export function beamSearch(
  start: SearchState,
  rules: SearchRules,
  { beams, signal }: { beams: number; signal: AbortSignal },
): Promise<TokenSequence> {
  // One more, because one of them may be the end.
  const tokensOf = (logits: Float32Array) => likeliestTokens(logits, beams === 1 ? 1 : beams + 1);
  return search(start, rules, { width: beams, tokensOf }, signal);
}

/** Tokens are drawn by their probability, with less likely ones the more often the higher the temperature. */
export function drawnSequence(
  start: SearchState,
  rules: SearchRules,
  {
    sequences,
    temperature,
    random,
    signal,
  }: { sequences: number; temperature: number; random: () => number; signal: AbortSignal },
): Promise<TokenSequence> {
  const tokensOf = (logits: Float32Array, isFirst: boolean) =>
    Array.from({ length: isFirst ? sequences : 1 }, () => drawnToken(logits, temperature, random));
  return search(start, rules, { width: sequences, tokensOf }, signal);
}

async function search(
  start: SearchState,
  rules: SearchRules,
  { width, tokensOf }: Choice,
  signal: AbortSignal,
): Promise<TokenSequence> {
  const ended: TokenSequence[] = [];
  let state = start;
  let live: Hypothesis[] = [empty];
  for (let length = 0; length < rules.tokensMax; length++) {
    signal.throwIfAborted();
    const extensions = live.flatMap((hypothesis, parent) =>
      extensionsOf(hypothesis, parent, state.rows[parent], rules, (logits) => tokensOf(logits, length === 0)),
    );
    const kept: Extension[] = [];
    for (const extension of extensions.toSorted((a, b) => b.sum - a.sum)) {
      if (kept.length === width) break;
      if (extension.token !== rules.end) kept.push(extension);
      else ended.push(sequenceOf(live[extension.parent] ?? empty, extension.logProbability));
    }
    if (ended.length >= width || kept.length === 0) break;
    state = await state.next(
      kept.map(({ token }) => token),
      kept.map(({ parent }) => parent),
    );
    live = kept.map((extension, row) =>
      extended(live[extension.parent] ?? empty, extension, state.rows[row]),
    );
  }
  return best(ended.length > 0 ? ended : live.map((hypothesis) => sequenceOf(hypothesis, 0)));
}

/** None of a hypothesis that is in a loop. */
function extensionsOf(
  { tokens, sum }: Hypothesis,
  parent: number,
  row: DecoderRow | undefined,
  rules: SearchRules,
  tokensOf: (logits: Float32Array) => number[],
): Extension[] {
  if (!row || isRepeating(tokens)) return [];
  const logits = rules.allowed(row.logits, tokens);
  const total = logSumExp(logits);
  return tokensOf(logits).map((token) => {
    const logProbability = (logits[token] ?? 0) - total;
    return { parent, token, logProbability, sum: sum + logProbability };
  });
}

function extended(
  { tokens, logProbabilities, attentions }: Hypothesis,
  { token, logProbability, sum }: Extension,
  row: DecoderRow | undefined,
): Hypothesis {
  return {
    tokens: [...tokens, token],
    logProbabilities: [...logProbabilities, logProbability],
    attentions: [...attentions, row?.attentions ?? []],
    sum,
  };
}

function sequenceOf({ sum, ...hypothesis }: Hypothesis, endLogProbability: number): TokenSequence {
  const averageLogProbability = (sum + endLogProbability) / (hypothesis.tokens.length + 1);
  return { ...hypothesis, averageLogProbability };
}

function best(sequences: readonly TokenSequence[]): TokenSequence {
  return sequences.reduce((one, other) =>
    other.averageLogProbability > one.averageLogProbability ? other : one,
  );
}
