import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RecognisedUtterance } from '../../timeline/utterance.ts';
import { confidentUtterance } from './confident-utterance.ts';

const span = { startSample: 0, endSample: 16_000 };
const heard = (text: string, confidence: number): RecognisedUtterance => ({
  ...span,
  spans: [span],
  text,
  language: 'en',
  words: [{ ...span, text, confidence }],
});

test('text that is sure is not heard again', async () => {
  const sure = heard('No.', 0.8);
  const again = () => assert.fail('heard again');
  assert.equal(await confidentUtterance(sure, { isLanguageGuessed: false }, again), sure);
});

test('of two unsure texts the surer is kept, and none where neither can be believed', async () => {
  const texts = async (first: number, second: number) =>
    (
      await confidentUtterance(heard('first', first), { isLanguageGuessed: false }, async () =>
        heard('second', second),
      )
    ).text;
  assert.equal(await texts(0.3, 0.7), 'second');
  assert.equal(await texts(0.3, 0.2), 'first');
  assert.equal(await texts(0.12, 0.1), '');
  const alone = await confidentUtterance(heard('first', 0.1), { isLanguageGuessed: false }, async () => null);
  assert.deepEqual([alone.text, alone.words, alone.isUnclear], ['', [], true]);
});

test('a word whose language was guessed needs more to be believed', async () => {
  const alone = async (confidence: number, isLanguageGuessed: boolean) =>
    (await confidentUtterance(heard('word', confidence), { isLanguageGuessed }, async () => null)).text;
  assert.deepEqual(
    [await alone(0.24, false), await alone(0.24, true), await alone(0.33, true)],
    ['word', '', 'word'],
  );
});
