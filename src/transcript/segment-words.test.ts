import assert from 'node:assert/strict';
import { test } from 'node:test';
import { segmentWords } from './segment-words.ts';

test('the words of a segment share its time by their letters, and keep its speaker', () => {
  const words = segmentWords([
    { start: 1, end: 2, text: 'Oh no.' },
    { start: 3, end: 4.5, text: 'Yes', speaker: 1 },
  ]);
  assert.deepEqual(words, [
    [' Oh', 1000, 1500],
    [' no.', 1500, 2000],
    [' Yes', 3000, 4500, 1],
  ]);
});

test('words of a script without spaces have none', () => {
  const words = segmentWords([
    { start: 0, end: 1, text: '今日は。' },
    { start: 1, end: 2, text: '明日。' },
  ]);
  assert.equal(words.map(([text]) => text).join(''), '今日は。明日。');
  assert.equal(words.at(-1)?.[2], 2000);
});
