/** Runs the x-vector network over speech: one embedding of unit length for each window. */

import { existsSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { singleThread } from '../../../onnx/single-thread.ts';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../../timeline/span.ts';
import { unitLength } from './embedding.ts';
import { kaldiMatrix, kaldiNetwork, kaldiTextVector } from './kaldi-file.ts';
import { coefficientCount, framesPerSecond, mfcc, slidingMeanRemoved } from './mfcc.ts';
import { xVectorNetwork } from './x-vector-network.ts';
import { graphVersion, xVectorOnnx } from './x-vector-onnx.ts';

export interface SpeakerEmbedder {
  /** One embedding for each window, given in samples from the start of `samples` (16 kHz, −1 to 1). */
  embed(samples: Float32Array, windows: readonly SpeechSpan[]): Promise<Float32Array[]>;
}

/** As in the network's recipe: three seconds. */
const meanWindowFrames = 300;
/** The context of all layers together; beyond the ends the first and last frame are repeated. */
const contextFrames = 7;
/** Bounds the memory of one run: 1500 values of four bytes for each frame, some copies of them: about 100 MB. */
const framesPerRunMax = 3000;

/** The network in ONNX form, converted once and cached beside the files it comes from. */
async function convertedNetwork(directory: string): Promise<string> {
  const path = join(directory, `x-vector-${graphVersion}.onnx`);
  if (existsSync(path)) return path;
  const [network, mean, transform] = await Promise.all([
    readFile(join(directory, 'final.ext.raw')),
    readFile(join(directory, 'mean.vec'), 'utf8'),
    readFile(join(directory, 'transform.mat')),
  ]);
  const model = xVectorOnnx(
    xVectorNetwork(kaldiNetwork(network), kaldiTextVector(mean), kaldiMatrix(transform)),
  );
  // Several processes may convert at once: each writes its own file, and a rename is whole or not at all.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, model);
  await rename(draft, path);
  return path;
}

const samplesPerFrame = sampleRate / framesPerSecond;

interface FrameSpan {
  from: number;
  to: number;
}

/** At least one frame, inside the recording. */
function frameSpan(window: SpeechSpan, frames: number): FrameSpan {
  const from = Math.min(Math.max(0, Math.round(window.startSample / samplesPerFrame)), frames - 1);
  const to = Math.min(Math.max(from + 1, Math.round(window.endSample / samplesPerFrame)), frames);
  return { from, to };
}

/** Coefficient by coefficient, with the context on either side. */
function networkInput(features: Float32Array, { from, to }: FrameSpan): Tensor {
  const frames = features.length / coefficientCount;
  const width = to - from + 2 * contextFrames;
  const input = new Float32Array(coefficientCount * width);
  for (let column = 0; column < width; column += 1) {
    const frame = Math.min(Math.max(from + column - contextFrames, 0), frames - 1);
    for (let row = 0; row < coefficientCount; row += 1) {
      input[row * width + column] = features[frame * coefficientCount + row] ?? 0;
    }
  }
  return new Tensor('float32', input, [1, coefficientCount, width]);
}

function poolingWeights(spans: readonly FrameSpan[], { from, to }: FrameSpan): Tensor {
  const width = to - from;
  const weights = new Float32Array(spans.length * width);
  spans.forEach((span, row) => {
    weights.fill(1 / (span.to - span.from), row * width + span.from - from, row * width + span.to - from);
  });
  return new Tensor('float32', weights, [spans.length, width]);
}

/** Neighbouring windows that are computed together. */
function runs(spans: readonly FrameSpan[]): FrameSpan[][] {
  const groups: FrameSpan[][] = [];
  let group: FrameSpan[] = [];
  for (const span of spans) {
    const first = group[0];
    const last = group.at(-1);
    // A gap longer than the context is cheaper left out.
    const apart = last && span.from > last.to + 2 * contextFrames;
    if (first && (apart || span.to - first.from > framesPerRunMax)) {
      groups.push(group);
      group = [];
    }
    group.push(span);
  }
  if (group.length > 0) groups.push(group);
  return groups;
}

export async function openXVectorEmbedder(directory: string): Promise<SpeakerEmbedder> {
  const network = await InferenceSession.create(await convertedNetwork(directory), singleThread);
  return {
    async embed(samples, windows) {
      const features = slidingMeanRemoved(mfcc(samples), meanWindowFrames);
      const frames = features.length / coefficientCount;
      if (frames === 0) return [];
      const embeddings: Float32Array[] = [];
      for (const spans of runs(windows.map((window) => frameSpan(window, frames)))) {
        const range = { from: spans[0]?.from ?? 0, to: Math.max(...spans.map((span) => span.to)) };
        const result = await network.run({
          features: networkInput(features, range),
          windows: poolingWeights(spans, range),
        });
        const data = result.embeddings?.data;
        if (!(data instanceof Float32Array)) throw new Error('the speaker network gave no embeddings');
        const size = data.length / spans.length;
        for (let row = 0; row < spans.length; row += 1) {
          embeddings.push(unitLength(data.slice(row * size, (row + 1) * size)));
        }
      }
      return embeddings;
    },
  };
}
