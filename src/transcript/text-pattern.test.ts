import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textPattern } from './text-pattern.ts';

const found = (text: string, find: string, options: { matchCase?: boolean; wholeWords?: boolean } = {}) =>
  text.match(textPattern({ find, matchCase: false, wholeWords: false, ...options }))?.length ?? 0;

test('what people type is text, never a pattern', () => {
  assert.equal(found('a.b axb (c) [d] $1 \\ ^', 'a.b'), 1);
  for (const special of ['.', '*', '+', '?', '(c)', '[d]', '$1', '\\', '^', '|', '{', '}', '/', '-'])
    assert.equal(found(`x ${special} y`, special), 1, special);
});

test('letters of any script are compared without their case, unless it is asked for', () => {
  assert.equal(found('Straße STRASSE straße', 'straße'), 2);
  assert.equal(found('Ärger ärger', 'ärger', { matchCase: true }), 1);
});

test('whole words are bounded by letters of any script', () => {
  assert.equal(found('über Überfall über.', 'über', { wholeWords: true }), 2);
  assert.equal(found('can cannot', 'can', { wholeWords: true }), 1);
});

test('a space stands for any white space', () => {
  assert.equal(found('by\nChristmas', 'by Christmas'), 1);
});

test('a long run of spaces does not hold up the process', () => {
  const spaces = ' '.repeat(2 ** 21);
  assert.equal(found(`a${spaces}b`, ' x'), 0);
  assert.equal(found(`a${spaces}x`, ' x'), 1);
  assert.equal(found(`a${spaces}x`, 'a x', { wholeWords: true }), 1);
});
