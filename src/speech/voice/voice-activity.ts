/**
 * How likely somebody speaks, for each window of 32 ms of a block of audio. The state of the network's LSTM carries over
 * from window to window; a block brings along the second before its own first sample, which settles that state. So
 * blocks need nothing of each other and may be processed in any order, by any process.
 */
import { readFile } from 'node:fs/promises';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { singleThread } from '../../onnx/single-thread.ts';
import { fullScale, int16Samples } from '../../timeline/pcm-samples.ts';
import { quietGain } from './quiet-gain.ts';
import { inputSamples, sileroSequence, stateSize } from './silero-sequence.ts';
import {
  type BlockActivity,
  contextSamples,
  historySamples,
  warmUpWindows,
  windowSamples,
} from './voice-block.ts';

const takenSamples = contextSamples + windowSamples;
const windowsPerCall = 128;

export class VoiceActivity {
  readonly #network: InferenceSession;

  private constructor(network: InferenceSession) {
    this.#network = network;
  }

  static async load(modelPath: string): Promise<VoiceActivity> {
    const network = sileroSequence(await readFile(modelPath));
    return new VoiceActivity(await InferenceSession.create(network, singleThread));
  }

  /** `bytes`: a block's history, then its own samples; a last window that is not full is filled with silence. */
  async detect(bytes: Uint8Array): Promise<BlockActivity> {
    const block = int16Samples(bytes);
    const windows = Math.ceil((block.length - historySamples) / windowSamples);
    const gain = quietGain(block.subarray(historySamples));
    const probabilities = await this.#probabilities(block, gain, warmUpWindows + windows);
    return { probabilities: probabilities.slice(warmUpWindows), loudness: loudnessOf(block, windows) };
  }

  async #probabilities(block: Int16Array, gain: number, windows: number): Promise<Float32Array> {
    const probabilities = new Float32Array(windows);
    let hidden = zeroState();
    let cell = zeroState();
    const input = new Float32Array(Math.min(windowsPerCall, windows) * inputSamples);
    for (let first = 0; first < windows; first += windowsPerCall) {
      const count = Math.min(windowsPerCall, windows - first);
      writeInput(input, block, gain, first, count);
      const result = await this.#network.run({
        windows: new Tensor('float32', input.subarray(0, count * inputSamples), [count, 1, inputSamples]),
        hidden,
        cell,
      });
      hidden = result.hiddenAfter as typeof hidden;
      cell = result.cellAfter as typeof cell;
      probabilities.set(result.probabilities?.data as Float32Array, first);
    }
    return probabilities;
  }
}

function zeroState() {
  return new Tensor('float32', new Float32Array(stateSize), [1, 1, stateSize]);
}

/** Each window with the samples before it, and its end mirrored; silence beyond the block. */
function writeInput(
  input: Float32Array,
  block: Int16Array,
  gain: number,
  first: number,
  count: number,
): void {
  const factor = gain / fullScale;
  for (let window = 0; window < count; window++) {
    const from = (first + window) * windowSamples;
    const at = window * inputSamples;
    const taken = Math.max(0, Math.min(takenSamples, block.length - from));
    for (let i = 0; i < taken; i++) input[at + i] = (block[from + i] as number) * factor;
    input.fill(0, at + taken, at + takenSamples);
    for (let i = takenSamples; i < inputSamples; i++) {
      input[at + i] = input[at + 2 * takenSamples - 2 - i] as number;
    }
  }
}

function loudnessOf(block: Int16Array, windows: number): Float32Array {
  const loudness = new Float32Array(windows);
  for (let window = 0; window < windows; window++) {
    const from = historySamples + window * windowSamples;
    const to = Math.min(from + windowSamples, block.length);
    let sum = 0;
    for (let i = from; i < to; i++) sum += (block[i] as number) ** 2;
    loudness[window] = sum / windowSamples / fullScale ** 2;
  }
  return loudness;
}
