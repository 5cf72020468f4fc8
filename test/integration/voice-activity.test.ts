import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { sampleRate } from '../../src/speech/chunk-plan.ts';
import { samplesOf } from '../../src/speech/samples-of.ts';
import { VoiceActivity } from '../../src/speech/voice-activity.ts';
import { contextSamples, historySamples, windowSamples } from '../../src/speech/voice-block.ts';
import { fixtureSamples, silence } from '../support/audio.ts';
import { modelsDirectory } from '../support/speech.ts';

const modelPath = join(modelsDirectory, 'silero-vad', 'silero_vad.onnx');

/** As its makers call it: one window after the other. */
async function asPublished(samples: Float32Array): Promise<number[]> {
  const session = await InferenceSession.create(modelPath);
  const rate = new Tensor('int64', BigInt64Array.of(BigInt(sampleRate)), []);
  const probabilities: number[] = [];
  let state = new Tensor('float32', new Float32Array(2 * 128), [2, 1, 128]);
  for (let from = 0; from + contextSamples + windowSamples <= samples.length; from += windowSamples) {
    const input = samples.slice(from, from + contextSamples + windowSamples);
    const result = await session.run({
      input: new Tensor('float32', input, [1, input.length]),
      state,
      sr: rate,
    });
    state = result.stateN as typeof state;
    probabilities.push(Number(result.output?.data[0]));
  }
  await session.release();
  return probabilities;
}

test('many windows at once are judged as one after the other by the published network', async () => {
  const speech = await fixtureSamples('austen-870.flac');
  const block = Buffer.concat([
    silence(historySamples / sampleRate),
    silence(1.3),
    speech,
    silence(2.1),
    speech,
    speech,
  ]);
  const samples = Float32Array.from(samplesOf(block), (sample) => sample / 32_768);
  const expected = (await asPublished(samples)).slice(historySamples / windowSamples);
  const { probabilities } = await (await VoiceActivity.load(modelPath)).hear(block);
  assert.ok(expected.length > 600 && probabilities.length >= expected.length);
  for (const [i, probability] of expected.entries()) {
    const ours = probabilities[i] ?? Number.NaN;
    assert.ok(Math.abs(ours - probability) < 1e-3, `window ${i}: ${ours} instead of ${probability}`);
  }
  assert.ok(expected.some((value) => value > 0.9) && expected.some((value) => value < 0.1));
});
