import assert from 'node:assert/strict';
import { test } from 'node:test';
import { alignedWords } from './aligned-words.ts';

const texts = [' Good', ' mor', 'ning', '.', ' You'];
const vocabulary = { textOf: (tokens: readonly number[]) => tokens.map((token) => texts[token]).join('') };
const steps = 100;

/** Each token attends to its own stretch of steps. */
const attentions = (...starts: number[]) =>
  starts.map((start, i) => {
    const end = starts[i + 1] ?? steps;
    return [Float32Array.from({ length: steps }, (_, step) => (step >= start && step < end ? 1 : 0))];
  });

test('a word begins where its first token attends, and ends before the punctuation after it', () => {
  const decoded = {
    tokens: [0, 1, 2, 3, 4],
    attentions: attentions(10, 25, 35, 50, 80),
    probabilities: [0.9, 0.8, 0.5, 1, 0.7],
  };
  const words = alignedWords(decoded, vocabulary, { seconds: 2, stepSeconds: 0.02 });
  assert.deepEqual(
    words.map(({ text }) => text),
    [' Good', ' morning.', ' You'],
  );
  const expected = [
    [0.2, 0.5],
    [0.5, 1],
    [1.6, 2],
  ];
  for (const [i, [start = 0, end = 0]] of expected.entries()) {
    // The steps are smoothed, and before the first word lies nothing that attends to anything.
    if (i > 0) assert.ok(Math.abs((words[i]?.startSeconds ?? 0) - start) <= 0.06, JSON.stringify(words));
    assert.ok(Math.abs((words[i]?.endSeconds ?? 0) - end) <= 0.06, JSON.stringify(words));
  }
});
