import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { sherpaBundle } from './sherpa-bundle.ts';
import { wordsOfTokens } from './sherpa-recognizer.ts';

async function bundle(t: TestContext, id: string, names: string[]) {
  const models = await mkdtemp(join(tmpdir(), 'longhand-models-'));
  t.after(() => rm(models, { recursive: true }));
  const directory = join(models, id);
  await mkdir(directory);
  for (const name of names) await writeFile(join(directory, name), '');
  return { directory, path: (name: string) => join(directory, name) };
}

test('three networks are a transducer, eight-bit files first; NeMo needs its own kind of decoding', async (t) => {
  const names = ['encoder.onnx', 'encoder.int8.onnx', 'decoder.int8.onnx', 'joiner.int8.onnx', 'tokens.txt'];
  const { directory, path } = await bundle(t, 'parakeet-tdt-0.6b-v3', names);
  assert.deepEqual(await sherpaBundle(directory), {
    transducer: {
      encoder: path('encoder.int8.onnx'),
      decoder: path('decoder.int8.onnx'),
      joiner: path('joiner.int8.onnx'),
    },
    tokens: path('tokens.txt'),
    modelType: 'nemo_transducer',
  });
});

test('one network is a CTC model, whose kind the name of the folder says', async (t) => {
  for (const [id, kind] of [
    ['sense-voice-small', 'senseVoice'],
    ['zipformer-ctc-en', 'zipformerCtc'],
    ['parakeet-ctc', 'nemoCtc'],
  ] as const) {
    const { directory } = await bundle(t, id, ['model.int8.onnx', 'tokens.txt']);
    assert.ok(kind in (await sherpaBundle(directory)));
  }
});

test('a folder without a vocabulary is refused in one sentence', async (t) => {
  const { directory } = await bundle(t, 'half-a-model', ['model.onnx']);
  await assert.rejects(sherpaBundle(directory), /half-a-model has no tokens\.txt/);
});

test('pieces of words become words with times, up to the next word', () => {
  const words = wordsOfTokens(
    { tokens: ['▁he', 'll', 'o', '▁world', '.'], timestamps: [0.1, 0.2, 0.3, 1, 1.2] },
    { startSample: 16_000, endSample: 48_000 },
  );
  assert.deepEqual(words, [
    { text: ' hello', startSample: 17_600, endSample: 32_000 },
    { text: ' world.', startSample: 32_000, endSample: 48_000 },
  ]);
});
