import assert from 'node:assert/strict';
import { test } from 'node:test';
import { segmentWords } from './segment-words.ts';

test('the words of a segment share its time by their letters, and keep its speaker', () => {
  const words = segmentWords([
    { start: 1, end: 2, text: 'Oh no.' },
    { start: 3, end: 4.5, text: 'Yes', speaker: 1 },
  ]);
  assert.deepEqual(words, [
    ['Oh', 1000, 1500],
    [' no.', 1500, 2000],
    [' Yes', 3000, 4500, 1],
  ]);
});
