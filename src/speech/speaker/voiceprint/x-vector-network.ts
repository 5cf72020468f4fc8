/**
 * The time-delay network of an x-vector model, in the order it is computed. Each layer is
 * `relu(weights · frames at offsets + bias)`, then a batch norm; the embedding is one affine map of the mean and
 * deviation of the last layer's frames, centred and whitened.
 */
import {
  floatField,
  type KaldiComponent,
  type KaldiMatrix,
  type KaldiNetwork,
  matrixField,
  vectorField,
} from './kaldi-file.ts';

export interface FrameLayer {
  /** Frames the layer looks at, as distances from its own. */
  offsets: readonly number[];
  /** output × (offset-major, then input). */
  weights: KaldiMatrix;
  bias: Float32Array;
  /** The batch norm after the relu: `x · scale + shift`. */
  scale: Float32Array;
  shift: Float32Array;
}

export interface XVectorNetwork {
  featureCount: number;
  layers: readonly FrameLayer[];
  /** Applied to the pooled mean and deviation. */
  embedding: { weights: KaldiMatrix; bias: Float32Array };
  mean: Float32Array;
  transform: KaldiMatrix;
  /** Frames that the layers together look at on either side. */
  contextFrames: number;
}

const layerNames = ['tdnn1', 'tdnn2', 'tdnn3', 'tdnn4', 'tdnn5'];

function offsetsOf(nodes: readonly string[], name: string): number[] {
  const line = nodes.find((node) => node.startsWith(`component-node name=${name} `));
  const input = line?.split(' input=')[1];
  if (input === undefined) throw new Error(`the network has no layer ${name}`);
  const appended = /^Append\((.*)\)$/.exec(input)?.[1];
  if (appended === undefined) return [0];
  return (
    appended
      .match(/Offset\([^)]*\)|[^,\s]+/g)
      ?.map((part) => Number(/,\s*(-?\d+)\)$/.exec(part)?.[1] ?? 0)) ?? []
  );
}

function part(network: KaldiNetwork, name: string): KaldiComponent {
  const found = network.components.get(name);
  if (!found) throw new Error(`the network has no component ${name}`);
  return found;
}

function frameLayer(network: KaldiNetwork, name: string): FrameLayer {
  const affine = part(network, `${name}.affine`);
  const norm = part(network, `${name}.batchnorm`);
  const mean = vectorField(norm, 'StatsMean');
  const variance = vectorField(norm, 'StatsVar');
  const epsilon = floatField(norm, 'Epsilon');
  const rms = floatField(norm, 'TargetRms');
  const scale = variance.map((value) => rms / Math.sqrt(value + epsilon));
  return {
    offsets: offsetsOf(network.nodes, `${name}.affine`),
    weights: matrixField(affine, 'LinearParams'),
    bias: vectorField(affine, 'BiasParams'),
    scale,
    shift: mean.map((value, index) => -value * (scale[index] ?? 0)),
  };
}

export function xVectorNetwork(
  network: KaldiNetwork,
  mean: Float32Array,
  transform: KaldiMatrix,
): XVectorNetwork {
  const layers = layerNames.map((name) => frameLayer(network, name));
  const last = part(network, 'tdnn6.affine');
  const embedding = { weights: matrixField(last, 'LinearParams'), bias: vectorField(last, 'BiasParams') };
  const featureCount = Number(/^input-node name=input dim=(\d+)/.exec(network.nodes[0] ?? '')?.[1]);
  let width = featureCount;
  for (const layer of layers) {
    if (layer.weights.columns !== width * layer.offsets.length)
      throw new Error('the layers do not fit together');
    width = layer.weights.rows;
  }
  if (embedding.weights.columns !== 2 * width) throw new Error('the pooling does not fit the network');
  if (mean.length !== embedding.bias.length || transform.columns !== mean.length) {
    throw new Error('the mean or the transform does not fit the network');
  }
  const contextFrames = layers.reduce((sum, layer) => sum + Math.max(...layer.offsets), 0);
  return { featureCount, layers, embedding, mean, transform, contextFrames };
}
