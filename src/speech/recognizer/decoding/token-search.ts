/** The likeliest sequence of tokens: by beam search, of which one beam is greedy decoding, or the best of several drawn. */
import type { DecoderRow } from './decoder-state.ts';
import { type BiasState, type KeywordBias, noBias } from './keyword-bias.ts';
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
  /** Terms that are likelier than the model knows. */
  bias?: KeywordBias | undefined;
}

export interface TokenSequence {
  tokens: readonly number[];
  /** With what the terms add. */
  logProbabilities: readonly number[];
  /** For each token, the cross-attention of each alignment head. */
  attentions: readonly Float32Array[][];
  /** The mean over the tokens and the end, as the model alone has it. */
  averageLogProbability: number;
  /** How many terms of the bias it has. */
  terms: number;
}

interface Hypothesis extends Pick<TokenSequence, 'tokens' | 'logProbabilities' | 'attentions'> {
  /** Of the log probabilities, as the model alone has them. */
  sum: number;
  bias: BiasState;
}

/** A hypothesis and the token that may come next. */
interface Extension {
  parent: number;
  token: number;
  logProbability: number;
  sum: number;
  bias: BiasState;
}

interface EndedHypothesis {
  hypothesis: Hypothesis;
  sum: number;
  bias: BiasState;
}

/** How many sequences are followed, and which extensions of each; the best of all of them go on. */
interface Choice {
  width: number;
  tokensOf(logits: Float32Array, isFirst: boolean): number[];
}

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
  const { bias = noBias } = rules;
  const first: Hypothesis = { tokens: [], logProbabilities: [], attentions: [], sum: 0, bias: bias.start };
  const ended: EndedHypothesis[] = [];
  let state = start;
  let live = [first];
  for (let length = 0; length < rules.tokensMax; length++) {
    signal.throwIfAborted();
    const extensions = live.flatMap((hypothesis, parent) =>
      extensionsOf(hypothesis, parent, state.rows[parent], rules, (logits) => tokensOf(logits, length === 0)),
    );
    const kept: Extension[] = [];
    for (const extension of extensions.toSorted((a, b) => score(b) - score(a))) {
      if (kept.length === width) break;
      if (extension.token !== rules.end) kept.push(extension);
      else ended.push({ ...extension, hypothesis: live[extension.parent] ?? first });
    }
    if (ended.length >= width || kept.length === 0) break;
    state = await state.next(
      kept.map(({ token }) => token),
      kept.map(({ parent }) => parent),
    );
    live = kept.map((extension, row) =>
      extended(live[extension.parent] ?? first, extension, state.rows[row]),
    );
  }
  const cut = (hypothesis: Hypothesis): EndedHypothesis => ({
    hypothesis,
    sum: hypothesis.sum,
    bias: bias.ended(hypothesis.bias),
  });
  return best(ended.length > 0 ? ended : live.map(cut));
}

function score({ sum, bias }: Pick<Extension, 'sum' | 'bias'>): number {
  return sum + bias.bonus;
}

/** None of a hypothesis that is in a loop. */
function extensionsOf(
  { tokens, sum, bias: before }: Hypothesis,
  parent: number,
  row: DecoderRow | undefined,
  rules: SearchRules,
  tokensOf: (logits: Float32Array) => number[],
): Extension[] {
  if (!row || isRepeating(tokens)) return [];
  const { bias = noBias, end } = rules;
  const logits = rules.allowed(row.logits, tokens);
  const total = logSumExp(logits);
  // The same token may lead on in the term under way and begin another.
  const ofTerms = [...new Set(bias.continuations(before))].filter((token) => Number.isFinite(logits[token]));
  // What is taken back when a term is left makes a sequence less likely, not the word that follows.
  const bonusOf = (after: BiasState) => Math.max(0, after.bonus - before.bonus);
  // With the bonuses all probabilities together are more than 1 by this.
  const excess = ofTerms.reduce(
    (more, token) =>
      more + Math.exp((logits[token] ?? 0) - total) * Math.expm1(bonusOf(bias.after(before, token))),
    0,
  );
  const excessLog = Math.log1p(excess);
  return [...new Set([...tokensOf(logits), ...ofTerms])].map((token) => {
    const own = (logits[token] ?? 0) - total;
    const after = token === end ? bias.ended(before) : bias.after(before, token);
    const logProbability = Math.min(0, own + bonusOf(after) - excessLog);
    return { parent, token, logProbability, sum: sum + own, bias: after };
  });
}

function extended(
  { tokens, logProbabilities, attentions }: Hypothesis,
  { token, logProbability, sum, bias }: Extension,
  row: DecoderRow | undefined,
): Hypothesis {
  return {
    tokens: [...tokens, token],
    logProbabilities: [...logProbabilities, logProbability],
    attentions: [...attentions, row?.attentions ?? []],
    sum,
    bias,
  };
}

/** By the mean, so that longer text is not worse; what terms add is shared among as many tokens for all. */
function best(ended: readonly EndedHypothesis[]): TokenSequence {
  const longest = Math.max(...ended.map(({ hypothesis }) => hypothesis.tokens.length));
  const average = ({ hypothesis, sum }: EndedHypothesis) => sum / (hypothesis.tokens.length + 1);
  const value = (one: EndedHypothesis) => average(one) + one.bias.bonus / (longest + 1);
  const chosen = ended.reduce((one, other) => (value(other) > value(one) ? other : one));
  const { tokens, logProbabilities, attentions } = chosen.hypothesis;
  return {
    ...{ tokens, logProbabilities, attentions },
    averageLogProbability: average(chosen),
    terms: chosen.bias.terms,
  };
}
