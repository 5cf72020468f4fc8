/** The search for speech that may hold terms: first as without them, and again only where one may be spoken. */
import type { KeywordBias } from './keyword-bias.ts';
import { beamSearch, type SearchRules, type SearchState, type TokenSequence } from './token-search.ts';

/** Below this a term was put where something else is spoken: two of two were, and none of 29 that were spoken. */
const averageLogProbabilityMin = -1;
/** A term stands for no more tokens than this. A text that is shorter by more has left speech out for the sake of terms. */
const tokensPerTermMax = 10;
/** Terms lead through unlikely tokens, which one beam alone would never follow. */
const beamsWithTerms = 5;

/** Where no term is found the text is the same as without terms. */
export async function keywordSearch(
  start: SearchState,
  rules: SearchRules,
  { beams, bias, signal }: { beams: number; bias: KeywordBias | undefined; signal: AbortSignal },
): Promise<TokenSequence> {
  if (!bias) return beamSearch(start, rules, { beams, signal });
  let isTermNear = false;
  const allowed: SearchRules['allowed'] = (logits, tokens) => {
    const possible = rules.allowed(logits, tokens);
    isTermNear ||= bias.isNear(possible);
    return possible;
  };
  const plain = await beamSearch(start, { ...rules, allowed }, { beams, signal });
  if (!isTermNear) return plain;
  const biased = await beamSearch(start, { ...rules, bias }, { beams: beamsWithTerms, signal });
  const isWhole = biased.tokens.length >= plain.tokens.length - biased.terms * tokensPerTermMax;
  const isBelieved = biased.terms > 0 && biased.averageLogProbability >= averageLogProbabilityMin;
  return isWhole && isBelieved ? biased : plain;
}
