import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutRepetitions, spokenText } from './spoken-text.ts';

test('what was said stays as it is', () => {
  assert.equal(spokenText(' No, no, no, no! He said: (never).', 3), 'No, no, no, no! He said: .');
  assert.equal(
    spokenText('It was the best of times, it was the worst of times.', 3.5),
    'It was the best of times, it was the worst of times.',
  );
});

test('names of sounds are no words', () => {
  for (const text of ['[Music]', '(applause)', '♪♪', ' ... ', '[BLANK_AUDIO]'])
    assert.equal(spokenText(text, 5), '');
});

test('a loop is cut down to one round', () => {
  assert.equal(
    cutRepetitions('and then I went I went I went I went I went I went home'),
    'and then I went home',
  );
  assert.equal(cutRepetitions(`Thank you. ${'you. '.repeat(30).trim()}`), 'Thank you.');
  assert.equal(cutRepetitions(Array.from({ length: 40 }, () => 'la').join(' ')), 'la');
});

test('four times the same word is somebody who insists', () => {
  assert.equal(cutRepetitions('no no no no never'), 'no no no no never');
});

test('more letters than so little speech can hold are hallucinated', () => {
  assert.equal(spokenText('Thank you.', 0.13), '');
  assert.equal(spokenText('Yes.', 0.13), 'Yes.');
});
