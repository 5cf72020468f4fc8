/**
 * How likely somebody speaks, for each window of 32 ms of a block of audio.
 *
 * Silero looks at one window after the other, with a memory of those before. One window at a time costs 0.005 of the
 * recording's length on one core; eight stretches side by side cost 0.002. So a block is cut into eight stretches; a
 * stretch hears the second before it first, which settles its memory. A block brings the second before its own first
 * sample along, so blocks need nothing of each other and may be heard in any order, by any process.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { sampleRate } from './chunk-plan.ts';
import { quietGain } from './quiet-gain.ts';
import { samplesOf } from './samples-of.ts';

export const windowSamples = 512;
const contextSamples = 64;
const stateSize = 128;
const lanes = 8;
const windowsPerStretch = Math.floor((20 * sampleRate) / windowSamples);
const warmUpWindows = 32;
/** The second before a block. */
export const historySamples = warmUpWindows * windowSamples + contextSamples;
/** The most that a block holds besides its history. */
export const blockSamplesMax = lanes * windowsPerStretch * windowSamples;
const rate = new Tensor('int64', BigInt64Array.from([BigInt(sampleRate)]), []);

/** One value of each for every window of a block. */
export interface HeardVoice {
  probabilities: Float32Array;
  loudness: Float32Array;
}

export class VoiceActivity {
  readonly #session: InferenceSession;

  private constructor(session: InferenceSession) {
    this.#session = session;
  }

  static async load(modelPath: string): Promise<VoiceActivity> {
    return new VoiceActivity(
      await InferenceSession.create(modelPath, {
        intraOpNumThreads: 1,
        interOpNumThreads: 1,
        executionMode: 'sequential',
      }),
    );
  }

  /** `bytes`: a block's history, then its own samples; a last window that is not full is filled with silence. */
  async hear(bytes: Uint8Array): Promise<HeardVoice> {
    const block = samplesOf(bytes);
    const windows = Math.ceil((block.length - historySamples) / windowSamples);
    const perLane = Math.ceil(windows / lanes);
    const samples = new Float32Array(historySamples + perLane * lanes * windowSamples);
    for (let i = 0; i < block.length; i++) samples[i] = (block[i] as number) / 32_768;
    const loudness = loudnessOf(samples, windows);
    const gain = quietGain(samples.subarray(historySamples, block.length));
    if (gain !== 1) for (let i = 0; i < block.length; i++) samples[i] = (samples[i] as number) * gain;
    const probabilities = await this.#probabilities(samples, perLane);
    return { probabilities: probabilities.slice(0, windows), loudness };
  }

  async #probabilities(samples: Float32Array, perLane: number): Promise<Float32Array> {
    const probabilities = new Float32Array(perLane * lanes);
    let state = new Tensor('float32', new Float32Array(2 * lanes * stateSize), [2, lanes, stateSize]);
    const width = contextSamples + windowSamples;
    for (let step = -warmUpWindows; step < perLane; step++) {
      const input = new Float32Array(lanes * width);
      for (let lane = 0; lane < lanes; lane++) {
        const at = historySamples + (lane * perLane + step) * windowSamples - contextSamples;
        input.set(samples.subarray(at, at + width), lane * width);
      }
      const result = await this.#session.run({
        input: new Tensor('float32', input, [lanes, width]),
        state,
        sr: rate,
      });
      state = result.stateN as typeof state;
      const output = result.output?.data as Float32Array;
      if (step < 0) continue;
      for (let lane = 0; lane < lanes; lane++) probabilities[lane * perLane + step] = output[lane] ?? 0;
    }
    return probabilities;
  }
}

function loudnessOf(samples: Float32Array, windows: number): Float32Array {
  return Float32Array.from({ length: windows }, (_, window) => {
    const from = historySamples + window * windowSamples;
    let sum = 0;
    for (let i = from; i < from + windowSamples; i++) sum += (samples[i] as number) ** 2;
    return sum / windowSamples;
  });
}
