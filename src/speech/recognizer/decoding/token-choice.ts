/** What decoders of every kind do with logits and the tokens chosen so far. */

/** Likeliest first; no more than are possible. */
export function likeliestTokens(logits: Float32Array, count: number): number[] {
  const tokens: number[] = [];
  let least = Number.NEGATIVE_INFINITY;
  for (let id = 0; id < logits.length; id++) {
    const logit = logits[id] ?? Number.NEGATIVE_INFINITY;
    if (logit <= least) continue;
    let at = tokens.length;
    while (at > 0 && (logits[tokens[at - 1] ?? 0] ?? 0) < logit) at--;
    tokens.splice(at, 0, id);
    if (tokens.length > count) tokens.pop();
    if (tokens.length === count) least = logits[tokens[count - 1] ?? 0] ?? 0;
  }
  return tokens;
}

/** `random` gives numbers from 0 to below 1. */
export function drawnToken(logits: Float32Array, temperature: number, random: () => number): number {
  const scaled = logits.map((logit) => logit / temperature);
  const total = logSumExp(scaled);
  let left = random();
  for (let id = 0; id < scaled.length; id++) {
    left -= Math.exp((scaled[id] ?? 0) - total);
    if (left < 0) return id;
  }
  return likeliestTokens(logits, 1)[0] ?? 0;
}

export function logSumExp(logits: Float32Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > highest) highest = logit;
  let sum = 0;
  // Further below, a logit adds less than what a number can hold beside it.
  for (const logit of logits) if (logit > highest - 40) sum += Math.exp(logit - highest);
  return highest + Math.log(sum);
}

/** The geometric mean; 0 for no tokens. */
export function meanProbability(probabilities: readonly number[]): number {
  if (probabilities.length === 0) return 0;
  const sum = probabilities.reduce((total, probability) => total + Math.log(probability), 0);
  return Math.exp(sum / probabilities.length);
}

/** The same up to sixteen tokens five times in a row: the model is in a loop, and the rest would be the same again. */
export function isRepeating(tokens: readonly number[]): boolean {
  for (let length = 1; length <= 16; length++) {
    const from = tokens.length - 5 * length;
    if (from < 0) return false;
    let same = true;
    for (let i = from; same && i + length < tokens.length; i++) same = tokens[i] === tokens[i + length];
    if (same) return true;
  }
  return false;
}
