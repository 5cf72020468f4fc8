/**
 * Turns an x-vector network into one ONNX graph. Batch norms are folded into the layer after them; pooling is a
 * product with a matrix of window weights, so that one run over a stretch of speech gives the embedding of every
 * window in it: the frames of overlapping windows are computed once.
 */
import { GraphBuilder } from '../../../onnx/graph-builder.ts';
import { onnxModel } from '../../../onnx/onnx-model.ts';
import type { KaldiMatrix } from './kaldi-file.ts';
import type { FrameLayer, XVectorNetwork } from './x-vector-network.ts';

/** Changes when the graph does, so that an older conversion on disk is made again. */
export const graphVersion = 1;

const varianceFloor = 1e-10;

interface Affine {
  weights: Float32Array;
  bias: Float32Array;
}

/** The layer's weights with the previous batch norm inside. `x · scale + shift` before it is the same as scaled weights and a shifted bias. */
function foldedLayer(layer: FrameLayer, before: FrameLayer | undefined): Affine {
  const { rows, columns, values } = layer.weights;
  if (!before) return { weights: values, bias: layer.bias };
  const width = before.scale.length;
  const weights = new Float32Array(values.length);
  const bias = new Float32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    let sum = layer.bias[row] ?? 0;
    for (let column = 0; column < columns; column += 1) {
      const weight = values[row * columns + column] ?? 0;
      weights[row * columns + column] = weight * (before.scale[column % width] ?? 0);
      sum += weight * (before.shift[column % width] ?? 0);
    }
    bias[row] = sum;
  }
  return { weights, bias };
}

/** Kaldi holds output × offset × input; a convolution wants output × input × offset. */
function convolutionWeights(
  weights: Float32Array,
  outputs: number,
  inputs: number,
  taps: number,
): Float32Array {
  const transposed = new Float32Array(weights.length);
  for (let output = 0; output < outputs; output += 1) {
    for (let tap = 0; tap < taps; tap += 1) {
      for (let input = 0; input < inputs; input += 1) {
        transposed[(output * inputs + input) * taps + tap] =
          weights[(output * taps + tap) * inputs + input] ?? 0;
      }
    }
  }
  return transposed;
}

function dilation(offsets: readonly number[]): number {
  const [first = 0, second] = offsets;
  if (second === undefined) return 1;
  const step = second - first;
  if (offsets.some((offset, index) => offset !== first + index * step)) {
    throw new Error('the offsets of a layer are not evenly spaced');
  }
  return step;
}

/** transform · (weights · pooled + bias − mean), with the last batch norm inside, as one affine map. */
function foldedEmbedding(network: XVectorNetwork, last: FrameLayer): Affine & { size: number } {
  const { weights, bias } = network.embedding;
  const width = last.scale.length;
  const inner = new Float64Array(weights.values.length);
  const innerBias = new Float64Array(weights.rows);
  for (let row = 0; row < weights.rows; row += 1) {
    let sum = (bias[row] ?? 0) - (network.mean[row] ?? 0);
    for (let column = 0; column < weights.columns; column += 1) {
      const weight = weights.values[row * weights.columns + column] ?? 0;
      const scale = last.scale[column % width] ?? 0;
      // A deviation does not shift, and grows with the size of the scale alone.
      inner[row * weights.columns + column] = weight * (column < width ? scale : Math.abs(scale));
      if (column < width) sum += weight * (last.shift[column] ?? 0);
    }
    innerBias[row] = sum;
  }
  return {
    ...transformed(network.transform, inner, innerBias, weights.columns),
    size: network.transform.rows,
  };
}

function transformed(
  transform: KaldiMatrix,
  inner: Float64Array,
  innerBias: Float64Array,
  columns: number,
): Affine {
  const weights = new Float32Array(transform.rows * columns);
  const bias = new Float32Array(transform.rows);
  const rowSum = new Float64Array(columns);
  for (let row = 0; row < transform.rows; row += 1) {
    rowSum.fill(0);
    let shift = 0;
    for (let middle = 0; middle < transform.columns; middle += 1) {
      const factor = transform.values[row * transform.columns + middle] ?? 0;
      shift += factor * (innerBias[middle] ?? 0);
      for (let column = 0; column < columns; column += 1) {
        rowSum[column] = (rowSum[column] ?? 0) + factor * (inner[middle * columns + column] ?? 0);
      }
    }
    weights.set(rowSum, row * columns);
    bias[row] = shift;
  }
  return { weights, bias };
}

/** Inputs `features` (1 × coefficients × frames with context) and `windows` (windows × frames); output `embeddings`. */
export function xVectorOnnx(network: XVectorNetwork): Buffer {
  const builder = new GraphBuilder();
  let frames = 'features';
  for (const [index, layer] of network.layers.entries()) {
    frames = frameLayer(builder, frames, layer, network.layers[index - 1]);
  }
  const last = network.layers.at(-1);
  if (!last) throw new Error('the network has no layers');
  const embedding = foldedEmbedding(network, last);
  const parameters = [
    builder.constant([embedding.size, 2 * last.scale.length], embedding.weights),
    builder.constant([embedding.size], embedding.bias),
  ];
  builder.apply('Gemm', [pooled(builder, frames), ...parameters], { transB: 1 }, 'embeddings');
  return onnxModel({
    name: 'x-vector',
    nodes: builder.nodes,
    initializers: builder.initializers,
    inputs: [
      { name: 'features', shape: [1, network.featureCount, 'frames with context'] },
      { name: 'windows', shape: ['window', 'frame'] },
    ],
    outputs: [{ name: 'embeddings', shape: ['window', embedding.size] }],
  });
}

function frameLayer(
  builder: GraphBuilder,
  input: string,
  layer: FrameLayer,
  before: FrameLayer | undefined,
): string {
  const { rows, columns } = layer.weights;
  const taps = layer.offsets.length;
  const folded = foldedLayer(layer, before);
  const weights = convolutionWeights(folded.weights, rows, columns / taps, taps);
  const parameters = [
    builder.constant([rows, columns / taps, taps], weights),
    builder.constant([rows], folded.bias),
  ];
  const attributes = { kernel_shape: [taps], dilations: [dilation(layer.offsets)] };
  return builder.apply('Relu', [builder.apply('Conv', [input, ...parameters], attributes)]);
}

/** Mean and standard deviation over each window, one row for each. */
function pooled(builder: GraphBuilder, channels: string): string {
  const frames = builder.apply('Transpose', [channels], { perm: [0, 2, 1] });
  const mean = builder.apply('MatMul', ['windows', frames]);
  const power = builder.apply('MatMul', ['windows', builder.apply('Mul', [frames, frames])]);
  const difference = builder.apply('Sub', [power, builder.apply('Mul', [mean, mean])]);
  const floor = builder.constant([1], Float32Array.of(varianceFloor));
  const deviation = builder.apply('Sqrt', [builder.apply('Max', [difference, floor])]);
  const both = builder.apply('Concat', [mean, deviation], { axis: 2 });
  return builder.apply('Flatten', [both], { axis: 2 });
}
