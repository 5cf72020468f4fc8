import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capitalFollows, normalisedWords } from './normalised-words.ts';
import { wordsOf } from './word-timing.ts';

function normalised(text: string, language: string | null = 'en', beginsSentence = true): string {
  const words = wordsOf(text).map((word, i) => ({
    text: word,
    startSample: i * 100,
    endSample: i * 100 + 90,
  }));
  return normalisedWords(words, { language, beginsSentence })
    .map((word) => word.text)
    .join('')
    .trim();
}

test('a sentence begins with a capital, and nothing else does', () => {
  assert.equal(normalised('and then. we left! why? because.'), 'And then. We left! Why? Because.');
  assert.equal(normalised('and then we left', 'en', false), 'and then we left');
  assert.equal(normalised('ça va. été.', 'fr'), 'Ça va. Été.');
  assert.equal(normalised('это так. да.', 'ru'), 'Это так. Да.');
  assert.equal(normalised('iyi. ilk.', 'tr'), 'İyi. İlk.');
});

test('words with a spelling of their own, scripts without capitals, numbers and quotes stay as they are', () => {
  for (const text of [
    'iPhone sales rose.',
    'eBay did. iOS did.',
    '3 people came.',
    "'tis so.",
    'example.com is down.',
    '@name wrote.',
  ])
    assert.equal(normalised(text), text);
  assert.equal(normalised('ეს ასეა. კი.', 'ka'), 'ეს ასეა. კი.');
  assert.equal(normalised('今日は。明日。', 'ja'), '今日は。明日。');
  assert.equal(normalised('هذا صحيح. نعم.', 'ar'), 'هذا صحيح. نعم.');
  assert.equal(normalised('“well,” he said. (yes.) no.'), '“Well,” he said. (Yes.) No.');
});

test('after an abbreviation, three dots, a quoted question or an ordinal no sentence need begin', () => {
  for (const text of [
    'At 9 a.m. we met.',
    'Mr. and mrs. smith came.',
    'Well... maybe.',
    'Well… maybe.',
    '“Why?” he asked.',
    'Apples, pears, etc. and more.',
  ])
    assert.equal(normalised(text), text);
  assert.equal(normalised('Am 3. mai.', 'de'), 'Am 3. mai.');
  assert.equal(normalised('In 1999. then.', 'en'), 'In 1999. Then.');
  assert.equal(capitalFollows(' it.', 'en'), true);
});

test('no comma stands twice, alone or before a full stop, and no space before one', () => {
  assert.equal(normalised('One , two,, three, , four ,. five ; six,'), 'One, two, three, four. Five; six,');
  assert.equal(normalised(', and so ,on'), 'And so, on');
  assert.equal(normalised('What ?! no...'), 'What?! No...');
  assert.equal(normalised('Half is .5 and 1,000 or 10:30.'), 'Half is .5 and 1,000 or 10:30.');
});

test('French keeps its spaces before question marks, colons and the like', () => {
  assert.equal(normalised('Quoi ? non , merci !', 'fr'), 'Quoi ? Non, merci !');
});

test('the words and their times stay', () => {
  const words = wordsOf('so , it is. (it) is').map((text, i) => ({ text, startSample: i, endSample: i + 1 }));
  const out = normalisedWords(words, { language: 'en', beginsSentence: true });
  assert.deepEqual(out, [
    { text: 'So,', startSample: 0, endSample: 2 },
    { text: ' it', startSample: 2, endSample: 3 },
    { text: ' is.', startSample: 3, endSample: 4 },
    { text: ' (It)', startSample: 4, endSample: 5 },
    { text: ' is', startSample: 5, endSample: 6 },
  ]);
});
