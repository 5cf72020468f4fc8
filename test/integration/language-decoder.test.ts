import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { firstLanguageMark, firstStepDecoder } from '../../src/speech/whisper/first-step.ts';
import { WhisperVocabulary } from '../../src/speech/whisper/vocabulary.ts';
import { WhisperListener } from '../../src/speech/whisper/whisper-model.ts';
import { modelsDirectory } from '../support/speech.ts';

test('a decoder cut down to its first step says the same of every language', async () => {
  const directory = join(modelsDirectory, 'whisper-base');
  const published = await readFile(join(directory, 'decoder.onnx'));
  const vocabulary = await WhisperVocabulary.load(directory);
  const sound = Float32Array.from({ length: 1500 * 512 }, (_, i) => Math.sin(i * 0.37) + Math.cos(i * 0.011));
  const encoded = new Tensor('float32', sound, [1, 1500, 512]);
  const whole = new WhisperListener(await InferenceSession.create(published), encoded, vocabulary);
  const expected = (await whole.step(vocabulary.start)).logits;

  const cut = firstStepDecoder(published);
  assert.ok(cut.length < published.length / 2);
  const first = await InferenceSession.create(cut);
  assert.deepEqual(first.inputNames.toSorted(), ['encoder_hidden_states', 'input_ids']);
  const { logits } = await first.run({
    input_ids: new Tensor('int64', BigInt64Array.of(0n), [1, 1]),
    encoder_hidden_states: encoded,
  });
  assert.equal(logits?.data.length, vocabulary.languages.size);
  for (const [language, mark] of vocabulary.languages) {
    const ours = Number(logits?.data[mark - firstLanguageMark]);
    assert.ok(Math.abs(ours - Number(expected[mark])) < 1e-3, `${language}: ${ours}, not ${expected[mark]}`);
  }
});
