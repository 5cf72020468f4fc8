import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chineseScriptOf, languageCode, languageName } from './language.ts';

test('a language is known by its code, its code with a region, or its English name', () => {
  for (const text of ['de', 'DE', 'de-AT', 'de_CH', 'German', ' german '])
    assert.equal(languageCode(text), 'de');
  assert.equal(languageCode('haw'), 'haw');
  for (const text of ['', 'xx', 'klingon', 'deutsch', '-de']) assert.equal(languageCode(text), undefined);
});

test('a language has the name that Whisper gives it, and none where several are spoken', () => {
  assert.equal(languageName('en'), 'english');
  assert.equal(languageName('zh'), 'chinese');
  assert.equal(languageName(null), 'unknown');
});

test('a tag of Chinese may name its script or its region', () => {
  const asked = (tags: string[]) => tags.map(chineseScriptOf);
  assert.deepEqual(asked(['zh-CN', 'zh-Hans', 'zh_SG']), ['cn', 'cn', 'cn']);
  assert.deepEqual(asked(['zh-TW', 'zh-Hant', 'ZH-hant-TW']), ['tw', 'tw', 'tw']);
  assert.deepEqual(asked(['zh-HK', 'zh-Hant-HK', 'zh-MO']), ['hk', 'hk', 'hk']);
  assert.deepEqual(asked(['zh', 'chinese', 'de-TW', 'zh-xx']), [undefined, undefined, undefined, undefined]);
});
