import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { RecognizerCache } from '../../src/speech/recognizer/recognizer-cache.ts';
import { floatSamples } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { madeSamples } from '../support/audio.ts';
import { onCleanup } from '../support/cleanup.ts';
import { modelsDirectory, patience } from '../support/speech.ts';

const [english, others] = ['moonshine-base', 'whisper-base'];

test('a model that every chunk of unclear English asks for is loaded once', async () => {
  const models = await mkdtemp(join(tmpdir(), 'longhand-models-'));
  onCleanup({ after }, () => rm(models, { recursive: true, force: true }));
  for (const id of [english, others, 'whisper-tiny-language']) {
    await mkdir(join(models, id));
    for (const file of await readdir(join(modelsDirectory, id)))
      await symlink(join(modelsDirectory, id, file), join(models, id, file));
  }
  const recognizers = new RecognizerCache(models, others);
  const samples = floatSamples(await madeSamples('anoisesrc=c=pink:seed=1', 3));
  const whole = { startSample: 0, endSample: 3 * sampleRate };
  const chunk = { index: 0, ...whole, utterances: [{ ...whole, spans: [whole] }] };
  for (let i = 0; i < 6; i++) {
    const input = { samples, chunk, language: 'en', signal: patience() };
    const { engine } = await recognizers.recognise({ engine: 'auto', otherLanguages: true }, input);
    assert.equal(engine, english);
    // To load it again fails from now on.
    await rm(join(models, others, 'decoder.onnx'), { force: true });
  }
});
