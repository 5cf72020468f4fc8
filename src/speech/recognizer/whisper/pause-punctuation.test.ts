import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { RecognisedUtterance } from '../../../timeline/utterance.ts';
import { withPausePunctuation } from './pause-punctuation.ts';

/** Each voiced stretch as its start in seconds and its signs, of which each takes a fifth of a second. */
function utterance(language: string, stretches: readonly (readonly [number, string])[]): RecognisedUtterance {
  const words = stretches.flatMap(([start, signs]) =>
    [...signs].map((text, i) => ({
      text,
      startSample: Math.round((start + i / 5) * sampleRate),
      endSample: Math.round((start + (i + 1) / 5) * sampleRate),
      confidence: 0.9,
    })),
  );
  const spans = stretches.map(([start, signs]) => ({
    startSample: start * sampleRate,
    endSample: Math.round((start + [...signs].length / 5) * sampleRate),
  }));
  return {
    startSample: spans[0]?.startSample ?? 0,
    endSample: spans.at(-1)?.endSample ?? 0,
    spans,
    text: words.map(({ text }) => text).join(''),
    language,
    words,
  };
}

const texts = (...utterances: RecognisedUtterance[]) =>
  withPausePunctuation(utterances).map(({ text }) => text);

test('Chinese and Japanese get a comma at a short pause and a full stop at a long one', () => {
  const stretches = [
    [0, '欢迎大家'],
    [1.2, '来体验'],
    [3, '模型'],
  ] as const;
  assert.deepEqual(texts(utterance('zh', stretches)), ['欢迎大家，来体验。模型。']);
  assert.deepEqual(texts(utterance('ja', stretches)), ['欢迎大家、来体验。模型。']);
  assert.deepEqual(texts(utterance('zh', [[0, '你好']]), utterance('zh', [[0.8, '再见']])), [
    '你好，',
    '再见。',
  ]);
});

test('a pause inside a clause, other languages and text with punctuation of its own get none', () => {
  assert.deepEqual(
    texts(
      utterance('zh', [
        [0, '你好'],
        [0.5, '再见'],
      ]),
    ),
    ['你好再见。'],
  );
  const others = [utterance('ko', [[0, '안녕']]), utterance('zh', [[2, '你好！再见']])];
  assert.deepEqual(withPausePunctuation(others), others);
});

test('the times of words and how sure they are stay', () => {
  const heard = utterance('zh', [[0, '你好']]);
  const [first, second] = heard.words ?? [];
  assert.deepEqual(withPausePunctuation([heard])[0]?.words, [first, { ...second, text: '好。' }]);
});
