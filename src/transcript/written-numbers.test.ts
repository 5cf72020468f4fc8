import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withWrittenNumbers, writtenNumbers } from './written-numbers.ts';

const timed = (text: string) =>
  text.split(' ').map((word, i) => ({
    text: ` ${word}`,
    startSample: i * 100,
    endSample: i * 100 + 90,
    confidence: 0.9 - i / 100,
  }));
const written = (text: string) =>
  writtenNumbers(timed(text))
    .map((word) => word.text)
    .join('')
    .trim();

const changed: [said: string, read: string][] = [
  ['About twenty-five percent of the people.', 'About 25% of the people.'],
  ['Twenty five per cent, she said.', '25%, she said.'],
  ['It fell by five percent.', 'It fell by 5%.'],
  ['It is 25 percent now.', 'It is 25% now.'],
  ['The ticket costs four hundred and twelve euros.', 'The ticket costs 412 euros.'],
  ['It grew by three point five percent.', 'It grew by 3.5%.'],
  ['Pi is three point one four.', 'Pi is 3.14.'],
  [
    'Twelve of them need eleven tables and forty five chairs.',
    'Twelve of them need 11 tables and 45 chairs.',
  ],
  ['One hundred and fifty thousand people came.', '150,000 people came.'],
  ['In two thousand and twenty three.', 'In 2023.'],
  ['She was born in nineteen eighty-four in the north.', 'She was born in 1984 in the north.'],
  ['On March in eighteen thirteen, it ended.', 'On March in 1813, it ended.'],
  ['It lasted from nineteen fourteen to nineteen eighteen.', 'It lasted from 1914 to 1918.'],
  ['Between ten and twenty people.', 'Between 10 and 20 people.'],
  ['My code is A B C one two three.', 'My code is ABC123.'],
  ['The K L M desk.', 'The KLM desk.'],
];
for (const [said, read] of changed)
  test(`"${said}" is written "${read}"`, () => assert.equal(written(said), read));

const unchanged = [
  'One of them took two apples and three pears.',
  'He ran a hundred times and came in second.',
  'The twenty first of March is a Monday.',
  'The train leaves at nine forty five.',
  'Call me at five, five, five, one, two, three, four.',
  'One two three, go.',
  'Five or ten people, twenty odd, twenty, five.',
  'A hundred and fifty of them, two million, twenty million, seven eleven.',
  'Nineteen eighty four was a book.',
  'Plan A I think.',
  'The nineteen sixties, twenty hundreds, the one hundred and first of twenty some.',
  'Ten people came with one hundred thousand thousand things.',
];
for (const said of unchanged) test(`"${said}" stays`, () => assert.equal(written(said), said));

test('words that become one have their time together and the least of their confidences', () => {
  const [, number, next] = writtenNumbers(timed('costs four hundred and twelve euros'));
  assert.deepEqual(number, { text: ' 412', startSample: 100, endSample: 490, confidence: 0.86 });
  assert.deepEqual(next, timed('costs four hundred and twelve euros')[5]);
});

test('an utterance in another language stays, and so does one whose words have no times', () => {
  const utterance = {
    startSample: 0,
    endSample: 900,
    spans: [],
    text: 'fifty men',
    words: timed('fifty men'),
  };
  assert.equal(withWrittenNumbers({ ...utterance, language: 'en' }).text, '50 men');
  const german = { ...utterance, language: 'de' };
  assert.equal(withWrittenNumbers(german), german);
  const { words, ...bare } = { ...utterance, language: 'en' };
  assert.equal(withWrittenNumbers(bare), bare);
});
