/** A small speaker network with random weights, in Kaldi's own file format, and its embedding by plain loops. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

interface Layer {
  offsets: number[];
  inputs: number;
  outputs: number;
  weights: number[];
  bias: number[];
  mean: number[];
  variance: number[];
}

const featureCount = 23;
const embeddingSize = 6;
const epsilon = Math.fround(0.001);

export interface SmallXVector {
  layers: Layer[];
  embeddingWeights: number[];
  embeddingBias: number[];
  mean: number[];
  transform: number[];
}

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.fround(state / 2 ** 30 - 1);
  };
}

export function smallXVector(seed: number): SmallXVector {
  const random = randomOf(seed);
  const numbers = (count: number, scale = 1) =>
    Array.from({ length: count }, () => Math.fround(random() * scale));
  const shapes = [
    { offsets: [-2, -1, 0, 1, 2], inputs: featureCount, outputs: 9 },
    { offsets: [-2, 0, 2], inputs: 9, outputs: 8 },
    { offsets: [-3, 0, 3], inputs: 8, outputs: 8 },
    { offsets: [0], inputs: 8, outputs: 7 },
    { offsets: [0], inputs: 7, outputs: 11 },
  ];
  return {
    layers: shapes.map((shape) => ({
      ...shape,
      weights: numbers(shape.outputs * shape.inputs * shape.offsets.length, 0.5),
      bias: numbers(shape.outputs),
      mean: numbers(shape.outputs),
      variance: numbers(shape.outputs).map((value) => Math.fround(0.5 + Math.abs(value))),
    })),
    embeddingWeights: numbers(embeddingSize * 22),
    embeddingBias: numbers(embeddingSize),
    mean: numbers(embeddingSize),
    transform: numbers(embeddingSize * embeddingSize),
  };
}

const token = (name: string) => Buffer.from(`<${name}> `);

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes[0] = 4;
  bytes.writeInt32LE(value, 1);
  return bytes;
}

function float32(value: number): Buffer {
  const bytes = Buffer.alloc(5);
  bytes[0] = 4;
  bytes.writeFloatLE(value, 1);
  return bytes;
}

function floats(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    bytes.writeFloatLE(value, index * 4);
  });
  return bytes;
}

function matrix(rows: number, columns: number, values: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from('FM '), int32(rows), int32(columns), floats(values)]);
}

function vector(values: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from('FV '), int32(values.length), floats(values)]);
}

function affine(
  name: string,
  rows: number,
  columns: number,
  weights: readonly number[],
  bias: readonly number[],
): Buffer {
  const type = 'NaturalGradientAffineComponent';
  return Buffer.concat([
    Buffer.from(`<ComponentName> ${name} <${type}> <MaxChange> `),
    float32(0.75),
    token('LinearParams'),
    matrix(rows, columns, weights),
    token('BiasParams'),
    vector(bias),
    Buffer.from(`</${type}> `),
  ]);
}

function batchNorm(name: string, layer: Layer): Buffer {
  return Buffer.concat([
    Buffer.from(`<ComponentName> ${name} <BatchNormComponent> <Dim> `),
    int32(layer.outputs),
    token('Epsilon'),
    float32(epsilon),
    token('TargetRms'),
    float32(1),
    Buffer.from('<TestMode> F'),
    token('StatsMean'),
    vector(layer.mean),
    token('StatsVar'),
    vector(layer.variance),
    Buffer.from('</BatchNormComponent> '),
  ]);
}

function nodeLines(network: SmallXVector): string {
  const lines = [`input-node name=input dim=${featureCount}`];
  network.layers.forEach((layer, index) => {
    const before = index === 0 ? 'input' : `tdnn${index}.batchnorm`;
    const taps = layer.offsets.map((offset) => (offset === 0 ? before : `Offset(${before}, ${offset})`));
    const input = taps.length === 1 ? before : `Append(${taps.join(', ')})`;
    lines.push(
      `component-node name=tdnn${index + 1}.affine component=tdnn${index + 1}.affine input=${input}`,
    );
  });
  return `\n${lines.join('\n')}\n\n`;
}

export async function writeSmallXVector(network: SmallXVector, directory: string): Promise<void> {
  const components = network.layers.flatMap((layer, index) => [
    affine(
      `tdnn${index + 1}.affine`,
      layer.outputs,
      layer.inputs * layer.offsets.length,
      layer.weights,
      layer.bias,
    ),
    batchNorm(`tdnn${index + 1}.batchnorm`, layer),
  ]);
  components.push(affine('tdnn6.affine', embeddingSize, 22, network.embeddingWeights, network.embeddingBias));
  const file = Buffer.concat([
    Buffer.from('\0B<Nnet3> '),
    Buffer.from(nodeLines(network)),
    token('NumComponents'),
    int32(components.length),
    ...components,
    Buffer.from('</Nnet3> '),
  ]);
  await writeFile(join(directory, 'final.ext.raw'), file);
  await writeFile(join(directory, 'mean.vec'), ` [ ${network.mean.join(' ')} ]\n`);
  await writeFile(
    join(directory, 'transform.mat'),
    Buffer.concat([Buffer.from('\0B'), matrix(embeddingSize, embeddingSize, network.transform)]),
  );
}

function layerFrames(layer: Layer, input: readonly number[][]): number[][] {
  const edge = (index: number) => input[Math.min(Math.max(index, 0), input.length - 1)] ?? [];
  return input.map((_, frame) =>
    layer.bias.map((bias, output) => {
      let sum = bias;
      layer.offsets.forEach((offset, tap) => {
        edge(frame + offset).forEach((value, column) => {
          sum += value * (layer.weights[(output * layer.offsets.length + tap) * layer.inputs + column] ?? 0);
        });
      });
      const norm = 1 / Math.sqrt((layer.variance[output] ?? 0) + epsilon);
      return (Math.max(0, sum) - (layer.mean[output] ?? 0)) * norm;
    }),
  );
}

/** Of all frames; the first and last frames of the features must repeat seven times, as the network pads them. */
export function embeddingByLoops(
  network: SmallXVector,
  features: readonly number[][],
  from: number,
  to: number,
): number[] {
  let frames = [...features];
  for (const layer of network.layers) frames = layerFrames(layer, frames);
  const window = frames.slice(from, to);
  const means =
    frames[0]?.map((_, item) => window.reduce((sum, frame) => sum + (frame[item] ?? 0), 0) / window.length) ??
    [];
  const deviations = means.map((mean, item) =>
    Math.sqrt(
      Math.max(
        1e-10,
        window.reduce((sum, frame) => sum + ((frame[item] ?? 0) - mean) ** 2, 0) / window.length,
      ),
    ),
  );
  const pooled = [...means, ...deviations];
  const centred = network.embeddingBias.map(
    (bias, row) =>
      bias +
      pooled.reduce(
        (sum, value, column) => sum + value * (network.embeddingWeights[row * 22 + column] ?? 0),
        0,
      ) -
      (network.mean[row] ?? 0),
  );
  const transformed = centred.map((_, row) =>
    centred.reduce(
      (sum, value, column) => sum + value * (network.transform[row * embeddingSize + column] ?? 0),
      0,
    ),
  );
  const norm = Math.hypot(...transformed);
  return transformed.map((value) => value / norm);
}
