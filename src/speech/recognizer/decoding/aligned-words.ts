/** Times of words by dynamic time warping over the decoder's cross-attention. */

import { unspacedScript } from '../../../timeline/unspaced-script.ts';

interface DecodedTokens {
  tokens: readonly number[];
  /** For each token, the cross-attention of each alignment head. */
  attentions: readonly Float32Array[][];
  probabilities: readonly number[];
}

interface Vocabulary {
  textOf(tokens: readonly number[]): string;
}

export interface AlignedWord {
  /** With the space before it. */
  text: string;
  startSeconds: number;
  endSeconds: number;
  /** The probability of its least likely token. */
  confidence: number;
}

const punctuation = /^\s*\p{P}+$/u;

/** `stepSeconds`: the time of one step of the encoder's output. */
export function alignedWords(
  { tokens, attentions, probabilities }: DecodedTokens,
  vocabulary: Vocabulary,
  { seconds, stepSeconds }: { seconds: number; stepSeconds: number },
): AlignedWord[] {
  const steps = Math.max(1, Math.floor(seconds / stepSeconds));
  const starts = tokenStarts(attentionMap(attentions, steps), tokens.length, steps);
  const words: AlignedWord[] = [];
  // Punctuation after a word attends to the pause after it.
  const lastSpoken = (from: number, to: number) => {
    let last = to - 1;
    while (last > from && punctuation.test(vocabulary.textOf(tokens.slice(last, last + 1)))) last--;
    return last;
  };
  for (const { from, to } of wordRanges(tokens, vocabulary)) {
    const text = vocabulary.textOf(tokens.slice(from, to));
    const word = {
      text,
      startSeconds: (starts[from] ?? 0) * stepSeconds,
      endSeconds: Math.min(seconds, (starts[lastSpoken(from, to) + 1] ?? steps) * stepSeconds),
      confidence: Math.min(...probabilities.slice(from, to)),
    };
    if (text.trim() !== '') words.push(word);
  }
  return words;
}

/** Tokens that belong to one word: up to the next token that begins with a space, never inside a character. */
function wordRanges(tokens: readonly number[], vocabulary: Vocabulary): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  let from = 0;
  for (let to = 1; to <= tokens.length; to++) {
    const whole = !vocabulary.textOf(tokens.slice(from, to)).includes('\uFFFD');
    const next = vocabulary.textOf(tokens.slice(to, to + 1));
    if (to === tokens.length || (whole && beginsWord(next))) {
      ranges.push({ from, to });
      from = to;
    }
  }
  return ranges;
}

function beginsWord(text: string): boolean {
  const [first = ''] = text;
  return first === ' ' || unspacedScript.test(first);
}

/** Tokens × steps: each head standardised over the tokens, the mean over the heads, median-filtered. */
function attentionMap(attentions: readonly Float32Array[][], steps: number): Float32Array {
  const tokens = attentions.length;
  const heads = attentions[0]?.length ?? 0;
  const map = new Float32Array(tokens * steps);
  for (let head = 0; head < heads; head++) {
    for (let step = 0; step < steps; step++) {
      let sum = 0;
      let squares = 0;
      for (const row of attentions) {
        const value = row[head]?.[step] ?? 0;
        sum += value;
        squares += value * value;
      }
      const mean = sum / tokens;
      const deviation = Math.sqrt(Math.max(1e-12, squares / tokens - mean * mean));
      for (let token = 0; token < tokens; token++) {
        const value = attentions[token]?.[head]?.[step] ?? 0;
        map[token * steps + step] = (map[token * steps + step] ?? 0) + (value - mean) / deviation / heads;
      }
    }
  }
  for (let token = 0; token < tokens; token++) {
    const row = map.subarray(token * steps, (token + 1) * steps);
    row.set(medianFiltered(row));
  }
  return map;
}

/** With a width of seven. */
function medianFiltered(row: Float32Array): Float32Array {
  return row.map((_, i) => {
    const near = row.slice(Math.max(0, i - 3), i + 4).sort();
    return near[near.length >> 1] ?? 0;
  });
}

/** Dynamic time warping: the cheapest monotone path through the map; gives the first step of each token. */
function tokenStarts(map: Float32Array, tokens: number, steps: number): number[] {
  const width = steps + 1;
  const cost = new Float64Array((tokens + 1) * width).fill(Number.POSITIVE_INFINITY);
  const from = new Uint8Array((tokens + 1) * width);
  cost[0] = 0;
  for (let token = 1; token <= tokens; token++) {
    for (let step = 1; step <= steps; step++) {
      const diagonal = cost[(token - 1) * width + step - 1] ?? 0;
      const down = cost[(token - 1) * width + step] ?? 0;
      const right = cost[token * width + step - 1] ?? 0;
      const best = Math.min(diagonal, down, right);
      from[token * width + step] = best === diagonal ? 0 : best === down ? 1 : 2;
      cost[token * width + step] = best - (map[(token - 1) * steps + step - 1] ?? 0);
    }
  }
  const starts = new Array<number>(tokens).fill(0);
  for (let token = tokens, step = steps; token > 0 && step > 0; ) {
    starts[token - 1] = step - 1;
    const move = from[token * width + step];
    if (move !== 2) token--;
    if (move !== 1) step--;
  }
  return starts;
}
