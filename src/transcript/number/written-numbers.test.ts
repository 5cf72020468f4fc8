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
  ['The K L M two days ago.', 'The KLM two days ago.'],
  ['My code is A B C one two three I think.', 'My code is ABC123 I think.'],
  ['The I S B N is X four seven Z Q two.', 'The ISBN is X47ZQ2.'],
  ['One hundred and one Dalmatians.', '101 Dalmatians.'],
  ['Between one hundred and fifty and two hundred people.', 'Between 150 and 200 people.'],
  ['Two thousand and one, from fifty to two hundred.', '2001, from 50 to 200.'],
  ['It took one point five hours, and grew by one point five.', 'It took 1.5 hours, and grew by 1.5.'],
  ['One point five million people, or one point two five.', '1.5 million people, or 1.25.'],
  ['They lend at one point five percent.', 'They lend at 1.5%.'],
  ['Version two point three point one is out.', 'Version 2.3.1 is out.'],
  ['Pi is three point fourteen, not two point oh five.', 'Pi is 3.14, not 2.05.'],
  ['She came in nineteen oh five.', 'She came in 1905.'],
  ['It began in twenty oh one, or in March twenty twenty.', 'It began in 2001, or in March 2020.'],
  ['From nineteen thirty nine to nineteen forty five.', 'From 1939 to 1945.'],
  ['From nineteen fifty to two thousand and five.', 'From 1950 to 2005.'],
  [
    'In nineteen thirty people left for the summer of nineteen sixty.',
    'In 1930 people left for the summer of 1960.',
  ],
  ['They have been here since nineteen ninety-nine.', 'They have been here since 1999.'],
  ['A twenty five year old man and fourteen hundred others.', 'A 25 year old man and 1400 others.'],
  ['Twenty-one to fourteen, on Route sixty six.', '21 to 14, on Route 66.'],
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
  // An "and" between two numbers.
  'Between five hundred and one thousand people came.',
  'About fifteen hundred and two thousand, between two hundred and three people.',
  'See pages one hundred and two, of one hundred and two of them.',
  'Five hundred and one thousand, ten thousand and five hundred.',
  'A hundred and one Dalmatians.',
  // A point that is none of a decimal.
  'At one point five people left the room.',
  'At one point three of the engines failed.',
  'At one point twenty people, at one point twenty five people, at one point five minutes passed.',
  'They lost by one point five times.',
  // Letters and words.
  'In Q two I think we grew.',
  'Group B two A people.',
  'Should I C C her in Q two H R said.',
  // Times of day, prices, ages, and what is counted.
  'A group of twenty twenty-five year olds.',
  'By nineteen thirty people had left.',
  'We are open from eighteen thirty to twenty thirty.',
  'It went from nineteen ninety nine to a price of nineteen ninety nine.',
  'In twenty thirty minute sessions, in twenty twenty cricket, around sixteen seventeen people.',
  'In nineteen eighty four people died, and in nineteen ninety two of us moved.',
  'The nineteen oh five to London, room two oh one, the four oh five.',
  'Twenty five year olds got twenty five dollar bills.',
  'At twenty past ten, half past eleven, ten thirty and nineteen forty five.',
  // Numbers that belong together are written alike.
  'Two or three hundred, ten to fifteen thousand, ten or twenty million.',
  'Between fifty and one hundred thousand, ten, eleven and twelve.',
  'Ten and a half, the twenty tens.',
  // Telephones, games, and names.
  'Call eight hundred five five five one two one two, or nine one one.',
  'A one two punch, one or two, two by four, twenty four seven, fifty fifty, forty fifteen.',
  'Nineteen eighty-four, seven forty seven, nine eleven, catch it at two oh five.',
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
