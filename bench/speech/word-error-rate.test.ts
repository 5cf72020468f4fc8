import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparableWords, percent, wordErrors } from './word-error-rate.ts';

test('spelling is no error: capitals, punctuation, hyphens, figures and abbreviations', () => {
  const said = 'in eighteen thirteen mister smith was ill disposed';
  assert.deepEqual(wordErrors(said, 'In 1813, Mr. Smith was ill-disposed.'), {
    wrongWords: 0,
    referenceWords: 8,
  });
});

test('substitutions, insertions and deletions are counted once each', () => {
  const wrong = (said: string, heard: string) => wordErrors(said, heard).wrongWords;
  assert.equal(wrong('a b c d', 'a x c d'), 1);
  assert.equal(wrong('a b c d', 'a b c c d'), 1);
  assert.equal(wrong('a b c d', 'a d'), 2);
  assert.equal(wrong('a b c d', ''), 4);
  assert.equal(wrong('', 'a b'), 2);
  assert.equal(percent(wordErrors('a b c d', 'a b c x')), 25);
});

test('numbers are read as people read them', () => {
  assert.equal(comparableWords('2,345').join(' '), 'two thousand three hundred forty five');
  assert.equal(comparableWords('1977').join(' '), 'nineteen seventy seven');
});
