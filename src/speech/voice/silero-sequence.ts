/**
 * Silero's network for 16 kHz, with its published weights, as a graph that takes a sequence of windows in one call.
 *
 * As published it takes one window at a time and walks through branches that depend on the sampling rate. But only its
 * LSTM needs the window before: here the convolutions take all windows of a call as one batch, and the LSTM takes the
 * sequence. The probabilities are the same (decision 0029).
 */
import { GraphBuilder } from '../../onnx/graph-builder.ts';
import { attribute, branchesOf, elementType, graph, model, node, tensor } from '../../onnx/onnx-fields.ts';
import { onnxModel } from '../../onnx/onnx-model.ts';
import { fieldsOf, messagesIn, numbersOf, textsOf } from '../../onnx/protobuf-fields.ts';

/** The samples before a window, its own 512, and the last 64 of them mirrored. */
export const inputSamples = 640;
export const stateSize = 128;
const hopSamples = 128;
const frequencyBins = 129;
/** Of the four convolutions, which make one frame of a window's four. */
const encoderStrides = [1, 2, 2, 1];

interface Weights {
  shape: readonly number[];
  values: Float32Array;
}

/** Inputs `windows`, `hidden` and `cell`; outputs `probabilities`, one for each window, `hiddenAfter` and `cellAfter`. */
export function sileroSequence(published: Buffer): Buffer {
  const weights = publishedWeights(published);
  const builder = new GraphBuilder();
  const constant = (name: string) => builder.constant(weights(name).shape, weights(name).values);
  let encoded = magnitudes(builder, constant('stft.forward_basis_buffer'));
  for (const [layer, stride] of encoderStrides.entries()) {
    const parameters = ['weight', 'bias'].map((kind) => constant(`encoder.${layer}.reparam_conv.${kind}`));
    const attributes = { strides: [stride], pads: [1, 1] };
    encoded = builder.apply('Relu', [builder.apply('Conv', [encoded, ...parameters], attributes)]);
  }
  const decoded = builder.apply('Relu', [lstm(builder, encoded, weights)]);
  const column = builder.apply('Reshape', [decoded, builder.integers(-1, stateSize, 1)]);
  const parameters = ['weight', 'bias'].map((kind) => constant(`decoder.decoder.2.${kind}`));
  builder.apply('Sigmoid', [builder.apply('Conv', [column, ...parameters])], {}, 'probabilities');
  const state = [1, 1, stateSize];
  return onnxModel({
    name: 'silero-sequence',
    nodes: builder.nodes,
    initializers: builder.initializers,
    inputs: [
      { name: 'windows', shape: ['count', 1, inputSamples] },
      { name: 'hidden', shape: state },
      { name: 'cell', shape: state },
    ],
    outputs: [
      { name: 'probabilities', shape: ['count', 1, 1] },
      { name: 'hiddenAfter', shape: state },
      { name: 'cellAfter', shape: state },
    ],
  });
}

/** The short-time Fourier transform is a convolution, too: real parts first, then imaginary ones. */
function magnitudes(builder: GraphBuilder, basis: string): string {
  const spectrum = builder.apply('Conv', ['windows', basis], { strides: [hopSamples] });
  const squares = [0, frequencyBins].map((from) => {
    const bounds = [from, from + frequencyBins, 1].map((bound) => builder.integers(bound));
    const part = builder.apply('Slice', [spectrum, ...bounds]);
    return builder.apply('Mul', [part, part]);
  });
  return builder.apply('Sqrt', [builder.apply('Add', squares)]);
}

function lstm(builder: GraphBuilder, encoded: string, weights: (name: string) => Weights): string {
  const gates = (name: string) => onnxGates(weights(`decoder.rnn.${name}`).values);
  const matrices = ['weight_ih', 'weight_hh'].map((name) =>
    builder.constant([1, 4 * stateSize, stateSize], gates(name)),
  );
  const biases = Float32Array.from([...gates('bias_ih'), ...gates('bias_hh')]);
  const sequence = builder.apply('Reshape', [encoded, builder.integers(-1, 1, stateSize)]);
  const bias = builder.constant([1, 8 * stateSize], biases);
  const noLengths = '';
  builder.nodes.push({
    operator: 'LSTM',
    inputs: [sequence, ...matrices, bias, noLengths, 'hidden', 'cell'],
    outputs: ['states', 'hiddenAfter', 'cellAfter'],
    attributes: { hidden_size: stateSize },
  });
  return 'states';
}

/** PyTorch's order: input, forget, cell, output. ONNX's: input, output, forget, cell. */
function onnxGates(values: Float32Array): Float32Array {
  const gate = values.length / 4;
  const ordered = new Float32Array(values.length);
  ordered.set(values.subarray(0, gate));
  ordered.set(values.subarray(3 * gate), gate);
  ordered.set(values.subarray(gate, 3 * gate), 2 * gate);
  return ordered;
}

/** They stand as constants in the branch for 16 kHz, the first. */
function publishedWeights(published: Buffer): (name: string) => Weights {
  const [whole = []] = messagesIn(fieldsOf(published), model.graph);
  const [branch = []] = branchesOf(whole).filter((one) =>
    messagesIn(one, graph.node).some((part) => textsOf(part, node.output)[0]?.includes('then_branch')),
  );
  const found = new Map<string, Weights>();
  for (const one of messagesIn(branch, graph.node)) {
    const [constant = []] = messagesIn(one, node.attribute).flatMap((part) =>
      messagesIn(part, attribute.tensor),
    );
    const bytes = constant.find((field) => field.number === tensor.bytes)?.bytes;
    if (!bytes || numbersOf(constant, tensor.type)[0] !== elementType.float) continue;
    const name = textsOf(one, node.output)[0]?.split('Inline_0__')[1] ?? '';
    const values = new Float32Array(Uint8Array.from(bytes).buffer);
    found.set(name, { shape: numbersOf(constant, tensor.dimension), values });
  }
  return (name) => {
    const weights = found.get(name);
    if (!weights) throw new Error(`the voice activity model has no ${name}`);
    return weights;
  };
}
