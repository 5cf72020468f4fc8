/** What decoders of every kind do with logits and the tokens chosen so far. */

export function likeliest(logits: Float32Array): number {
  let best = 0;
  for (let id = 1; id < logits.length; id++) {
    if ((logits[id] ?? 0) > (logits[best] ?? 0)) best = id;
  }
  return best;
}

export function logSumExp(logits: Float32Array): number {
  let highest = Number.NEGATIVE_INFINITY;
  for (const logit of logits) if (logit > highest) highest = logit;
  let sum = 0;
  for (const logit of logits) sum += Math.exp(logit - highest);
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
