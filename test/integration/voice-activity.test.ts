import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { quietGain } from '../../src/speech/voice/quiet-gain.ts';
import { VoiceActivity } from '../../src/speech/voice/voice-activity.ts';
import {
  contextSamples,
  historySamples,
  warmUpWindows,
  windowSamples,
} from '../../src/speech/voice/voice-block.ts';
import { int16Samples } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
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

/** A second of silence as its history, then speech and silence; the last window is not full. */
async function block(): Promise<Buffer> {
  const speech = await fixtureSamples('austen-870.flac');
  const parts = [silence(historySamples / sampleRate), silence(1.3), speech, silence(2.1), speech, speech];
  const whole = Buffer.concat(parts);
  const overhang = ((whole.length / 2 - historySamples) % windowSamples) * 2;
  return whole.subarray(0, whole.length - overhang + 200);
}

function filledUp(samples: Int16Array, factor: number): Float32Array {
  const windows = Math.ceil((samples.length - historySamples) / windowSamples);
  const filled = new Float32Array(historySamples + windows * windowSamples);
  for (const [i, sample] of samples.entries()) filled[i] = (sample * factor) / 32_768;
  return filled;
}

for (const quieter of [1, 100]) {
  test(`many windows at once are judged as one after the other by the published network, ${quieter} times quieter`, async () => {
    const samples = int16Samples(await block()).map((sample) => Math.round(sample / quieter));
    const gain = quietGain(samples.subarray(historySamples));
    assert.equal(gain > 1, quieter > 1);
    const expected = (await asPublished(filledUp(samples, gain))).slice(warmUpWindows);
    const voice = await VoiceActivity.load(modelPath);
    const heard = await voice.detect(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength));
    assert.ok(expected.length > 600);
    assert.equal(heard.probabilities.length, expected.length);
    for (const [i, probability] of expected.entries()) {
      const ours = heard.probabilities[i] ?? Number.NaN;
      assert.ok(Math.abs(ours - probability) < 1e-3, `window ${i}: ${ours} instead of ${probability}`);
    }
    assert.ok(expected.some((value) => value > 0.9) && expected.some((value) => value < 0.1));
    assert.equal(heard.loudness.length, expected.length);
    assert.equal(heard.loudness[3], 0);
    assert.ok(Math.max(...heard.loudness) > 1e-3 / quieter ** 2);
  });
}
