import assert from 'node:assert/strict';
import { test } from 'node:test';
import { comparableWords, wordErrors } from './word-error-rate.ts';

test('case, punctuation, hyphens, numbers and Mr. make no difference', () => {
  assert.deepEqual(
    wordErrors('in eighteen thirteen mister Dashwood, ill disposed', 'In 1813, Mr. Dashwood — ill-disposed!'),
    {
      referenceWords: 7,
      wrongWords: 0,
    },
  );
  assert.equal(
    comparableWords("It’s 2,026: don't 'quote' 21").join(' '),
    "it's two thousand twenty six don't quote twenty one",
  );
});

test('a wrong, a missing and an added word are one error each', () => {
  assert.equal(wordErrors('a b c d', 'a x c d').wrongWords, 1);
  assert.equal(wordErrors('a b c d', 'a c d').wrongWords, 1);
  assert.equal(wordErrors('a b c d', 'a b c d e').wrongWords, 1);
  assert.equal(wordErrors('a b c d', '').wrongWords, 4);
  assert.equal(wordErrors('a b c d', 'b c d a').wrongWords, 2);
});
