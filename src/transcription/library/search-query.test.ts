import assert from 'node:assert/strict';
import { test } from 'node:test';
import { searchQuery, searchWords } from './search-query.ts';

test('every word is looked for, longer ones also as the beginning of a word', () => {
  assert.equal(searchQuery('the Budget')?.tsquery, "('the') & ('budget':*)");
});

test('words in quotation marks are looked for as they stand, one after the other', () => {
  assert.equal(searchQuery('"next quarter" plan')?.tsquery, "('next' <-> 'quarter') & ('plan':*)");
});

test('case and accents do not matter', () => {
  assert.deepEqual(searchWords('Über CAFÉ ｆｕｌｌ'), ['uber', 'cafe', 'full']);
});

test('a run of characters without spaces is a phrase of its characters', () => {
  assert.equal(searchQuery('会議')?.tsquery, "('会' <-> '議')");
});

test('operators and quotes of a hostile query are no part of what PostgreSQL reads', () => {
  for (const text of ["a' | 'b", "x:*& !('", '\\', "'; drop table account; --", '<->', '\u0000"', '((((']) {
    const query = searchQuery(text);
    if (query)
      assert.match(
        query.tsquery,
        /^\('[a-z]+'(:\*)?( <-> '[a-z]+')*\)( & \('[a-z]+'(:\*)?( <-> '[a-z]+')*\))*$/,
      );
  }
});

test('a query without a letter or digit asks for nothing', () => {
  for (const text of ['', '  ', '"', '?!', '--'])
    assert.equal(searchQuery(text), undefined, JSON.stringify(text));
});

test('a query has at most 16 words', () => {
  assert.equal(searchQuery('word '.repeat(80))?.words.length, 16);
});
