import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from './seeded-random.ts';
import { beamSearch, drawnSequence, type SearchState } from './token-search.ts';

const end = 0;
const [a, b, c] = [1, 2, 3];

/** What comes next by what came before; the rest is impossible. */
type Probabilities = (tokens: readonly number[]) => Partial<Record<number, number>>;

function stateOf(probabilities: Probabilities, rows: readonly (readonly number[])[] = [[]]): SearchState {
  return {
    rows: rows.map((tokens) => {
      const next = probabilities(tokens);
      return {
        logits: Float32Array.from([end, a, b, c], (token) => Math.log(next[token] ?? 0)),
        attentions: [Float32Array.from(tokens)],
      };
    }),
    next: async (tokens, parents) =>
      stateOf(
        probabilities,
        tokens.map((token, i) => [...(rows[parents[i] ?? 0] ?? []), token]),
      ),
  };
}

const rules = { end, tokensMax: 40, allowed: (logits: Float32Array) => logits };
const { signal } = new AbortController();

/** The likelier first token leads to what is less likely as a whole. */
const garden: Probabilities = (tokens) => {
  if (tokens.length === 0) return { [a]: 0.6, [b]: 0.4 };
  if (tokens.length > 1) return { [end]: 1 };
  return tokens[0] === a ? { [a]: 0.4, [b]: 0.3, [c]: 0.3 } : { [c]: 0.95, [a]: 0.05 };
};

test('one beam takes the likeliest token each time, five the likeliest sequence', async () => {
  const greedy = await beamSearch(stateOf(garden), rules, { beams: 1, signal });
  const beamed = await beamSearch(stateOf(garden), rules, { beams: 5, signal });
  assert.deepEqual(
    [greedy.tokens, beamed.tokens],
    [
      [a, a],
      [b, c],
    ],
  );
  assert.ok(beamed.averageLogProbability > greedy.averageLogProbability);
  assert.deepEqual(
    beamed.logProbabilities.map((one) => Math.round(Math.exp(one) * 100)),
    [40, 95],
  );
});

test('attentions are those of the tokens that were kept, whichever row they came from', async () => {
  const { tokens, attentions } = await beamSearch(stateOf(garden), rules, { beams: 5, signal });
  assert.deepEqual(
    attentions.map(([head]) => [...(head ?? [])]),
    tokens.map((_, i) => tokens.slice(0, i + 1)),
  );
});

test('a loop is given up for a sequence that ends', async () => {
  const looping: Probabilities = (tokens) => {
    if (tokens.length === 0) return { [a]: 0.7, [b]: 0.3 };
    return tokens[0] === a ? { [a]: 1 } : { [end]: 1 };
  };
  assert.deepEqual((await beamSearch(stateOf(looping), rules, { beams: 2, signal })).tokens, [b]);
  const { tokens } = await beamSearch(stateOf(looping), rules, { beams: 1, signal });
  assert.ok(tokens.length < rules.tokensMax);
});

test('a sequence that never ends is cut at the limit', async () => {
  const endless: Probabilities = ({ length }) => ({ [(length * length) % 3 === 0 ? a : b]: 1 });
  const { tokens } = await beamSearch(stateOf(endless), { ...rules, tokensMax: 4 }, { beams: 3, signal });
  assert.equal(tokens.length, 4);
});

test('drawn tokens are possible ones, the same with the same seed, and of several the likeliest is taken', async () => {
  const draw = (sequences: number) =>
    drawnSequence(stateOf(garden), rules, { sequences, temperature: 1, random: seededRandom(3), signal });
  assert.deepEqual(await draw(5), await draw(5));
  assert.deepEqual((await draw(60)).tokens, [b, c]);
});

test('a cancelled search ends', async () => {
  await assert.rejects(beamSearch(stateOf(garden), rules, { beams: 5, signal: AbortSignal.abort() }));
});
