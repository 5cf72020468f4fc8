import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { fixtureSamples, silence } from '../support/audio.ts';
import { onCleanup } from '../support/cleanup.ts';
import { writeSmallBundles } from '../support/small-sherpa-models.ts';
import { heardIn, modelsDirectory, speechPool } from '../support/speech.ts';

test('a model of the operator for sherpa-onnx recognises, with times for its words', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-models-'));
  onCleanup(t, () => rm(directory, { recursive: true }));
  await symlink(join(modelsDirectory, 'silero-vad'), join(directory, 'silero-vad'));
  const bundles = await writeSmallBundles(directory);
  const speech = speechPool(t, { modelsDirectory: directory });
  const clip = await fixtureSamples('austen-880.flac');
  const samples = Buffer.concat([silence(1), clip, silence(3), clip]);
  for (const engine of Object.values(bundles)) {
    const results = await heardIn(speech, samples, engine);
    const utterances = results.flatMap((result) => result.utterances);
    assert.deepEqual(
      results.map((result) => result.engine),
      results.map(() => engine),
    );
    assert.equal(utterances.length, 2, engine);
    for (const [i, { text, words }] of utterances.entries()) {
      assert.equal(text, 'hello', engine);
      const begin = (1 + i * (3 + clip.length / 2 / sampleRate)) * sampleRate;
      const at = words?.[0]?.startSample ?? 0;
      assert.ok(Math.abs(at - begin) < sampleRate, `${engine}: ${at} is far from ${begin}`);
    }
  }
});
