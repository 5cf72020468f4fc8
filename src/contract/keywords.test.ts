import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keywordCharactersMax, keywordsMax, keywordsOf, keywordsOfList, namesInPrompt } from './keywords.ts';

test('terms are taken once each, without needless space, and not more than may be given', () => {
  assert.deepEqual(keywordsOfList(' Nguyen,Raspberry  Pi;\nNguyen, '), ['Nguyen', 'Raspberry Pi']);
  assert.deepEqual(keywordsOf([]), []);
  const many = Array.from({ length: keywordsMax }, (_, i) => `term ${i}`);
  assert.equal(keywordsOf(many)?.length, keywordsMax);
  assert.equal(keywordsOf([...many, 'one more']), undefined);
  assert.equal(keywordsOf(['ä'.repeat(keywordCharactersMax)])?.length, 1);
  assert.equal(keywordsOf(['ä'.repeat(keywordCharactersMax + 1)]), undefined);
  assert.equal(keywordsOf(['a\u0000b']), undefined);
});

test('a prompt gives the names in it: all of a list, of sentences what is written like a name', () => {
  assert.deepEqual(namesInPrompt('ComfyUI, chromecast, Siobhan Nguyen.'), [
    'ComfyUI',
    'chromecast',
    'Siobhan Nguyen',
  ]);
  assert.deepEqual(
    namesInPrompt(
      'The talk is about Kubernetes and the H264 codec. We thank Siobhan Nguyen, and Okonkwo’s team.',
    ),
    ['Kubernetes', 'H264', 'Siobhan Nguyen', 'Okonkwo'],
  );
  assert.deepEqual(namesInPrompt('So, we go on with what was said.'), []);
  assert.deepEqual(namesInPrompt(''), []);
});
