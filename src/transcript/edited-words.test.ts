import assert from 'node:assert/strict';
import { test } from 'node:test';
import { editedWords } from './edited-words.ts';
import type { TranscriptWord } from './transcript-word.ts';

const heard: TranscriptWord[] = [
  [' before', 0, 900],
  [' I', 1000, 1200],
  [' sent', 1300, 1700],
  [' the', 1700, 1800],
  [' numbers', 1800, 2600],
  [' after', 4000, 4400],
];

test('words that were heard keep their times, whatever their case and punctuation', () => {
  const words = editedWords({ startMs: 1000, endMs: 2600, text: 'i sent, the Numbers.' }, heard);
  assert.deepEqual(
    words.map(([text, from, to]) => [text.trim(), from, to]),
    [
      ['i', 1000, 1200],
      ['sent,', 1300, 1700],
      ['the', 1700, 1800],
      ['Numbers.', 1800, 2600],
    ],
  );
});

test('a new word lies between its neighbours, a removed one leaves the others alone', () => {
  const words = editedWords({ startMs: 1000, endMs: 2600, text: 'I quickly sent numbers' }, heard);
  assert.deepEqual(
    words.map(([text, from, to]) => [text.trim(), from, to]),
    [
      ['I', 1000, 1200],
      ['quickly', 1200, 1300],
      ['sent', 1300, 1700],
      ['numbers', 1800, 2600],
    ],
  );
});

test('a line without a word that was heard divides its own time, in order and within its bounds', () => {
  const words = editedWords(
    { startMs: 1000, endMs: 2000, text: 'ganz andere Worte', speaker: 'Amara' },
    heard,
  );
  assert.equal(words.length, 3);
  assert.equal(words[0]?.[1], 1000);
  assert.equal(words.at(-1)?.[2], 2000);
  assert.ok(words.every(([, from, to, speaker]) => from <= to && speaker === 'Amara'));
});

test('no word leaves the bounds of its line', () => {
  const words = editedWords({ startMs: 1100, endMs: 2500, text: 'I sent the numbers' }, heard);
  assert.ok(words.every(([, from, to]) => from >= 1100 && to <= 2500 && from <= to));
});

test('a word that was heard keeps its confidence, and one that somebody wrote has none', () => {
  const unsure: TranscriptWord[] = [
    [' I', 1000, 1200, null, 0.9],
    [' scent', 1300, 1700, null, 0.2],
    [' numbers', 1800, 2600, null, 0.4],
  ];
  const words = editedWords({ startMs: 1000, endMs: 2600, text: 'I sent numbers.' }, unsure);
  assert.deepEqual(
    words.map(([text, , , , confidence]) => [text.trim(), confidence]),
    [
      ['I', 0.9],
      ['sent', undefined],
      ['numbers.', 0.4],
    ],
  );
});
