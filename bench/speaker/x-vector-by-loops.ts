/**
 * The embedding of one window by the book: a Fourier sum for each bin, each layer and each batch norm for itself, in
 * double precision, nothing folded and nothing shared with the code that Longhand runs but the reader of the files.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  floatField,
  type KaldiComponent,
  type KaldiNetwork,
  kaldiMatrix,
  kaldiNetwork,
  kaldiTextVector,
  matrixField,
  vectorField,
} from '../../src/speech/speaker/voiceprint/kaldi-file.ts';

const layerOffsets = [[-2, -1, 0, 1, 2], [-2, 0, 2], [-3, 0, 3], [0], [0]];
const contextFrames = 7;

function component(network: KaldiNetwork, name: string): KaldiComponent {
  const found = network.components.get(name);
  if (!found) throw new Error(`no component ${name}`);
  return found;
}

/** Kaldi's resampler from 16 to 8 kHz: a sinc cut off at 3960 Hz under a raised cosine of six zero crossings. */
function at8k(samples: Float32Array): number[] {
  const cutoff = 3960;
  const half: number[] = [];
  for (let index = 0; index * 2 < samples.length; index += 1) {
    let sum = 0;
    for (let source = index * 2 - 14; source <= index * 2 + 14; source += 1) {
      const time = (source - index * 2) / 16_000;
      if (source < 0 || source >= samples.length || Math.abs(time) >= 6 / (2 * cutoff)) continue;
      const sinc = time === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * time) / (Math.PI * time);
      sum +=
        ((samples[source] ?? 0) * sinc * 0.5 * (1 + Math.cos((2 * Math.PI * cutoff * time) / 6))) / 16_000;
    }
    half.push(sum * 32_768);
  }
  return half;
}

const melOf = (hz: number) => 1127 * Math.log(1 + hz / 700);

function cepstrum(samples: readonly number[]): number[] {
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const flat = samples.map((value) => value - mean);
  const energy = Math.log(
    Math.max(
      1.1920928955078125e-7,
      flat.reduce((sum, value) => sum + value * value, 0),
    ),
  );
  const windowed = flat.map((value, n) => {
    const window = (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / (flat.length - 1))) ** 0.85;
    return (value - 0.97 * (flat[Math.max(0, n - 1)] ?? 0)) * window;
  });
  const power = Array.from({ length: 128 }, (_, bin) => {
    let real = 0;
    let imaginary = 0;
    windowed.forEach((value, n) => {
      real += value * Math.cos((2 * Math.PI * bin * n) / 256);
      imaginary += value * Math.sin((2 * Math.PI * bin * n) / 256);
    });
    return real ** 2 + imaginary ** 2;
  });
  const step = (melOf(3700) - melOf(20)) / 24;
  const logs = Array.from({ length: 23 }, (_, bin) => {
    const centre = melOf(20) + (bin + 1) * step;
    const sum = power.reduce(
      (total, value, k) => total + value * Math.max(0, 1 - Math.abs(melOf(k * 31.25) - centre) / step),
      0,
    );
    return Math.log(Math.max(1.1920928955078125e-7, sum));
  });
  return logs.map((_, row) => {
    if (row === 0) return energy;
    const cosine = logs.reduce(
      (sum, value, bin) => sum + value * Math.cos((Math.PI * row * (bin + 0.5)) / 23),
      0,
    );
    return Math.sqrt(2 / 23) * cosine * (1 + 11 * Math.sin((Math.PI * row) / 22));
  });
}

function features(samples: Float32Array): number[][] {
  const half = at8k(samples);
  const frames: number[][] = [];
  for (let start = 0; start + 200 <= half.length; start += 80)
    frames.push(cepstrum(half.slice(start, start + 200)));
  return frames.map((frame, index) => {
    const from = Math.max(0, Math.min(index - 150, frames.length - 300));
    const around = frames.slice(from, from + 300);
    return frame.map(
      (value, item) => value - around.reduce((sum, other) => sum + (other[item] ?? 0), 0) / around.length,
    );
  });
}

/** Layers eat context: each gives as many frames fewer as its offsets reach. */
function layerOutput(network: KaldiNetwork, number: number, input: readonly number[][]): number[][] {
  const offsets = layerOffsets[number - 1] ?? [0];
  const { rows, columns, values } = matrixField(component(network, `tdnn${number}.affine`), 'LinearParams');
  const bias = vectorField(component(network, `tdnn${number}.affine`), 'BiasParams');
  const norm = component(network, `tdnn${number}.batchnorm`);
  const mean = vectorField(norm, 'StatsMean');
  const variance = vectorField(norm, 'StatsVar');
  const epsilon = floatField(norm, 'Epsilon');
  const reach = Math.max(...offsets);
  const output: number[][] = [];
  for (let frame = reach; frame + reach < input.length; frame += 1) {
    const seen = offsets.flatMap((offset) => input[frame + offset] ?? []);
    const row: number[] = [];
    for (let unit = 0; unit < rows; unit += 1) {
      let sum = bias[unit] ?? 0;
      for (let column = 0; column < columns; column += 1)
        sum += (values[unit * columns + column] as number) * (seen[column] as number);
      row.push((Math.max(0, sum) - (mean[unit] ?? 0)) / Math.sqrt((variance[unit] ?? 0) + epsilon));
    }
    output.push(row);
  }
  return output;
}

export function embeddingByLoops(
  directory: string,
  samples: Float32Array,
  fromFrame: number,
  toFrame: number,
): number[] {
  const network = kaldiNetwork(readFileSync(join(directory, 'final.ext.raw')));
  const all = features(samples);
  const edge = (index: number) => all[Math.min(Math.max(index, 0), all.length - 1)] ?? [];
  let frames = Array.from({ length: toFrame - fromFrame + 2 * contextFrames }, (_, index) =>
    edge(fromFrame + index - contextFrames),
  );
  for (let number = 1; number <= 5; number += 1) frames = layerOutput(network, number, frames);
  const means = (frames[0] ?? []).map(
    (_, item) => frames.reduce((sum, frame) => sum + (frame[item] ?? 0), 0) / frames.length,
  );
  const deviations = means.map((mean, item) =>
    Math.sqrt(
      Math.max(
        1e-10,
        frames.reduce((sum, frame) => sum + ((frame[item] ?? 0) - mean) ** 2, 0) / frames.length,
      ),
    ),
  );
  const pooled = [...means, ...deviations];
  const last = component(network, 'tdnn6.affine');
  const { columns, values } = matrixField(last, 'LinearParams');
  const centre = kaldiTextVector(readFileSync(join(directory, 'mean.vec'), 'utf8'));
  const embedding = Array.from(vectorField(last, 'BiasParams'), (bias, row) => {
    const sum = pooled.reduce(
      (total, value, column) => total + value * (values[row * columns + column] ?? 0),
      0,
    );
    return bias + sum - (centre[row] ?? 0);
  });
  const transform = kaldiMatrix(readFileSync(join(directory, 'transform.mat')));
  const transformed = Array.from({ length: transform.rows }, (_, row) =>
    embedding.reduce(
      (sum, value, column) => sum + value * (transform.values[row * transform.columns + column] ?? 0),
      0,
    ),
  );
  const norm = Math.hypot(...transformed);
  return transformed.map((value) => value / norm);
}
