/**
 * Finds the spans of speech in a recording that arrives in pieces of any size, with bounded memory.
 *
 * Silero looks at windows of 32 ms, each with its memory of the windows before. One window at a time costs 0.0064
 * of the recording's length on one core; eight stretches of the recording side by side cost 0.0027. So audio is
 * gathered into blocks of eight stretches; a stretch hears the second before it first, which settles its memory.
 */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { type SpeechSpan, sampleRate } from './chunk-plan.ts';
import { quietGain } from './quiet-gain.ts';
import { SpanFinder } from './span-finder.ts';

export const windowSamples = 512;
const contextSamples = 64;
const stateSize = 128;
const lanes = 8;
const windowsPerStretch = Math.floor((20 * sampleRate) / windowSamples);
const warmUpWindows = 32;
const blockSamples = lanes * windowsPerStretch * windowSamples;
const rate = new Tensor('int64', BigInt64Array.from([BigInt(sampleRate)]), []);

export async function loadVoiceActivityModel(modelPath: string): Promise<InferenceSession> {
  return InferenceSession.create(modelPath, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
  });
}

export class VoiceActivity {
  readonly #session: InferenceSession;
  readonly #finder = new SpanFinder();
  /** The second before the block, then the block. */
  readonly #history = warmUpWindows * windowSamples + contextSamples;
  readonly #samples = new Float32Array(this.#history + blockSamples);
  #filled = 0;
  #totalSamples = 0;

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  async accept(audio: Int16Array): Promise<void> {
    this.#totalSamples += audio.length;
    let taken = 0;
    while (taken < audio.length) {
      const count = Math.min(audio.length - taken, blockSamples - this.#filled);
      const from = this.#history + this.#filled;
      for (let i = 0; i < count; i++) this.#samples[from + i] = (audio[taken + i] ?? 0) / 32_768;
      taken += count;
      this.#filled += count;
      if (this.#filled === blockSamples) await this.#finishBlock();
    }
  }

  async end(): Promise<{ spans: SpeechSpan[]; totalSamples: number }> {
    this.#samples.fill(0, this.#history + this.#filled);
    if (this.#filled > 0) await this.#finishBlock();
    return { spans: this.#finder.end(this.#totalSamples), totalSamples: this.#totalSamples };
  }

  async #finishBlock(): Promise<void> {
    const windows = Math.ceil(this.#filled / windowSamples);
    const block = this.#samples.subarray(this.#history, this.#history + this.#filled);
    const gain = quietGain(block);
    if (gain !== 1) for (let i = 0; i < block.length; i++) block[i] = (block[i] as number) * gain;
    const probabilities = await this.#probabilities(windows);
    for (let i = 0; i < windows; i++) {
      const at = this.#history + i * windowSamples;
      this.#finder.accept(probabilities[i] ?? 0, loudness(this.#samples.subarray(at, at + windowSamples)));
    }
    this.#samples.copyWithin(0, blockSamples, blockSamples + this.#history);
    this.#filled = 0;
  }

  async #probabilities(windows: number): Promise<Float32Array> {
    const perLane = Math.ceil(windows / lanes);
    const probabilities = new Float32Array(perLane * lanes);
    let state = new Tensor('float32', new Float32Array(2 * lanes * stateSize), [2, lanes, stateSize]);
    const width = contextSamples + windowSamples;
    for (let step = -warmUpWindows; step < perLane; step++) {
      const input = new Float32Array(lanes * width);
      for (let lane = 0; lane < lanes; lane++) {
        const at = this.#history + (lane * perLane + step) * windowSamples - contextSamples;
        input.set(this.#samples.subarray(at, at + width), lane * width);
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

function loudness(window: Float32Array): number {
  let sum = 0;
  for (const sample of window) sum += sample * sample;
  return sum / window.length;
}
