import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inChineseScript } from './chinese-script.ts';

function utterance(language: string, text: string) {
  const words = [...text].map((sign, i) => ({ text: sign, startSample: i * 10, endSample: i * 10 + 9 }));
  return { startSample: 0, endSample: 1000, spans: [], language, text, words };
}

test('Chinese is written in one script, Simplified unless another is asked for, and words keep their times', async () => {
  const traditional = utterance('zh', '頭髮与歷史的發展');
  const [simplified] = await inChineseScript([traditional]);
  assert.equal(simplified?.text, '头发与历史的发展');
  assert.deepEqual(simplified?.words, utterance('zh', '头发与历史的发展').words);
  const [back] = await inChineseScript([utterance('zh', '头发与历史的发展，里面')], 'tw');
  assert.equal(back?.text, '頭髮與歷史的發展，裡面');
  assert.equal(back?.words?.map(({ text }) => text).join(''), back?.text);
  assert.equal((await inChineseScript([utterance('zh', '里面')], 'hk'))[0]?.text, '裏面');
});

test('other languages with the same signs stay as they are', async () => {
  const japanese = utterance('ja', '歷史と髮');
  assert.deepEqual(await inChineseScript([japanese]), [japanese]);
  assert.equal((await inChineseScript([japanese, utterance('zh', '歷史')]))[0], japanese);
});
