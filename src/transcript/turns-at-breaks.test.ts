import assert from 'node:assert/strict';
import { test } from 'node:test';
import { turnsAtBreaks } from './turns-at-breaks.ts';

/** `0:word` per word, each 0.3 s. */
const words = (text: string) =>
  text.split(' ').map((item, index) => ({
    speaker: Number(item[0]),
    text: item.slice(2),
    voiced: { startSample: index * 4800, endSample: (index + 1) * 4800 },
  }));
const realigned = (text: string) =>
  turnsAtBreaks(words(text), (word) => word.text.endsWith('.'))
    .map(({ speaker, text: word }) => `${speaker}:${word}`)
    .join(' ');

test('the last word of a sentence goes back to the one who said the rest of it', () => {
  assert.equal(
    realigned('0:good 0:for 1:them. 1:if 1:the 1:reader.'),
    '0:good 0:for 0:them. 1:if 1:the 1:reader.',
  );
});

test('the first words of a sentence go on to the one who says the rest of it', () => {
  assert.equal(realigned('0:for 0:them. 0:if 1:the 1:reader.'), '0:for 0:them. 1:if 1:the 1:reader.');
});

test('a change at the end of a sentence stays, and so does one far from any', () => {
  for (const text of [
    '0:so. 1:yes. 1:well 1:then.',
    '0:one 0:two 0:three 1:four 1:five 1:six 1:seven.',
    '0:and 0:then 1:yes. 0:we 0:went.',
  ]) {
    assert.equal(realigned(text), text);
  }
});

test('a change beside a pause is moved into it', () => {
  const [good, forWhom, them, drop] = words('0:good 0:for 1:them 1:drop');
  const later = { ...drop, voiced: { startSample: 4 * 4800, endSample: 5 * 4800 } };
  const moved = turnsAtBreaks([good, forWhom, them, later] as ReturnType<typeof words>, () => false);
  assert.deepEqual(
    moved.map(({ speaker }) => speaker),
    [0, 0, 0, 1],
  );
});
