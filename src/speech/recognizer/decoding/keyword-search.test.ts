import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeywordBias } from './keyword-bias.ts';
import { keywordSearch } from './keyword-search.ts';
import { TokenBytes } from './token-bytes.ts';
import { beamSearch, type SearchState } from './token-search.ts';

const pieces = ['</s>', ' to', ' Shi', 'von', ' Si', 'ob', 'han', ' now', ' S', ' Red', 'is', 'h'];
const vocabulary = new TokenBytes(pieces.map((piece, i) => (i === 0 ? undefined : Buffer.from(piece))));
const { signal } = new AbortController();
const rules = { end: 0, tokensMax: 20, allowed: (logits: Float32Array) => logits };

/** How likely each piece is by the text before it; all else is impossible. */
type Model = (text: string) => Record<string, number>;

function stateOf(model: Model, rows: readonly (readonly number[])[] = [[]]): SearchState {
  return {
    rows: rows.map((tokens) => {
      const next = model(vocabulary.textOf(tokens));
      const logits = Float32Array.from(pieces, (piece) => Math.log(next[piece] ?? 0));
      return { logits, attentions: [] };
    }),
    next: async (tokens, parents) =>
      stateOf(
        model,
        tokens.map((token, i) => [...(rows[parents[i] ?? 0] ?? []), token]),
      ),
  };
}

async function heard(model: Model, keywords: readonly string[]) {
  const bias = keywords.length > 0 ? new KeywordBias(keywords, vocabulary) : undefined;
  const found = await keywordSearch(stateOf(model), rules, { beams: 1, bias, signal });
  return { ...found, text: vocabulary.textOf(found.tokens) };
}

/** Somebody says a name that the model would write otherwise. */
const name: Model = (text) => {
  if (text === '') return { ' to': 1 };
  if (text === ' to') return { ' Shi': 0.9, ' Si': 0.05, ' S': 0.01 };
  if (text === ' to Shi') return { von: 0.9 };
  if (text === ' to Si') return { ob: 0.3, von: 0.6 };
  if (text === ' to Siob') return { han: 0.9 };
  return text.endsWith(' now') ? { '</s>': 1 } : { ' now': 1 };
};

test('a term on the list is written where the model hears it as less likely', async () => {
  assert.equal((await heard(name, [])).text, ' to Shivon now');
  const { text, terms, logProbabilities, averageLogProbability } = await heard(name, ['Siobhan']);
  assert.deepEqual([text, terms], [' to Siobhan now', 1]);
  assert.ok(logProbabilities.every((one) => one <= 0 && one > Math.log(0.2)));
  assert.ok(averageLogProbability < -0.5, 'as the model alone has it');
});

test('a term that is not spoken changes nothing, nor one of which only a part fits', async () => {
  const plain = await heard(name, []);
  assert.deepEqual(await heard(name, ['Redis']), plain);
  assert.deepEqual((await heard(name, ['Sixty'])).text, plain.text);
});

test('a term is a whole word, and one that is far too unlikely is not taken', async () => {
  const radish: Model = (text) => {
    if (text === '') return { ' Red': 0.6, ' to': 0.4 };
    if (text === ' Red') return { is: 1 };
    if (text === ' Redis') return { h: 1 };
    return { '</s>': 1 };
  };
  const { text, terms } = await heard(radish, ['Redis']);
  assert.deepEqual([text, terms], [' Redish', 0]);
  const unlikely: Model = (before) => (before.includes('Siob') ? { han: 0.01, ' now': 0.99 } : name(before));
  assert.equal((await heard(unlikely, ['Siobhan'])).text, ' to Shivon now');
});

test('a term said once is not written twice for the sake of the list', async () => {
  const twice: Model = (text) => {
    if (text.endsWith('Siobhan')) return { ' now': 0.9, ' Si': 0.01 };
    if (text.endsWith('Siobhan Si')) return { ob: 0.9 };
    return text.endsWith('Siobhan Siob') ? { han: 0.9 } : name(text);
  };
  assert.equal((await heard(twice, ['Siobhan'])).text, ' to Siobhan now');
});

test('no speech is left out for a term', async () => {
  const half = [' to', ' now', ' Shi', 'von', ' now', ' to', ' Shi', 'von'];
  const spoken = [...half, ...half];
  const skipping: Model = (text) => {
    if (text === '') return { ' to': 0.6, ' Si': 0.4 };
    if (text === ' Si') return { ob: 1 };
    if (text === ' Siob') return { han: 1 };
    const next = spoken.find((_, i) => spoken.slice(0, i).join('') === text);
    return { [next ?? '</s>']: 1 };
  };
  assert.equal((await heard(skipping, ['Siobhan'])).text, spoken.join(''));
});

test('no word is surer than certain, also where it leaves a term for the beginning of another', async () => {
  const left: Model = (text) => {
    if (text === '') return { ' Si': 1 };
    if (text === ' Si') return { ob: 1 };
    return text === ' Siob' ? { ' S': 1 - 1e-6, han: 1e-6 } : { '</s>': 1 };
  };
  const bias = new KeywordBias(['Siobhan'], vocabulary);
  const { tokens, logProbabilities } = await beamSearch(
    stateOf(left),
    { ...rules, bias },
    { beams: 5, signal },
  );
  assert.equal(vocabulary.textOf(tokens), ' Siob S');
  assert.ok(
    logProbabilities.every((one) => one <= 0 && one > -0.01),
    String(logProbabilities),
  );
});
