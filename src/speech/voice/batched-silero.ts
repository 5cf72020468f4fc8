/**
 * Silero's network for 16 kHz, with its published weights, written so that many windows go through it in one call.
 *
 * As published it takes one window at a time: for each it walks through branches that depend on the sampling rate and
 * multiplies matrices with four columns. But only its memory (the LSTM) needs the window before; the spectrum and the
 * four convolutions do not. Here those take all windows of a call as rows of one matrix, and the LSTM takes the
 * sequence. It is the same arithmetic at a fifth of the time (decision 0027).
 */
import { attribute, branchesOf, elementType, graph, model, node, tensor } from '../../onnx/onnx-fields.ts';
import { type OnnxNode, type OnnxTensor, onnxModel } from '../../onnx/onnx-model.ts';
import { fieldsOf, messagesIn, numbersOf, textsOf } from '../../onnx/protobuf-fields.ts';

/** A window as the network takes it: 64 samples before it, its own 512, and the last 64 but one mirrored. */
export const hops = 5;
export const hopSamples = 128;
export const memorySize = 128;
const spectrumFrames = 4;
const bandCount = 129;
const channels = 128;

interface Weights {
  shape: readonly number[];
  values: Float32Array;
}

export function batchedSilero(published: Buffer): Buffer {
  const network = new Network(publishedWeights(published));
  const heard = network.remembered(network.encoded(network.spectrum('windows')), 'memory', 'cell');
  network.judged(heard);
  const memory = [1, 1, memorySize];
  return onnxModel({
    name: 'voice-activity',
    nodes: network.nodes,
    weights: network.weights,
    inputs: [
      { name: 'windows', shape: ['count', hops, hopSamples] },
      { name: 'memory', shape: memory },
      { name: 'cell', shape: memory },
    ],
    outputs: [
      { name: 'probability', shape: ['count', 1] },
      { name: 'memoryAfter', shape: memory },
      { name: 'cellAfter', shape: memory },
    ],
  });
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
    found.set(name, {
      shape: numbersOf(constant, tensor.dimension),
      values: new Float32Array(Uint8Array.from(bytes).buffer),
    });
  }
  return (name) => {
    const weights = found.get(name);
    if (!weights) throw new Error(`the model of voice activity has no ${name}`);
    return weights;
  };
}

class Network {
  readonly nodes: OnnxNode[] = [];
  readonly weights: OnnxTensor[] = [];
  readonly #published: (name: string) => Weights;

  constructor(published: (name: string) => Weights) {
    this.#published = published;
  }

  /** Four frames of two hops each: the strength of each band. */
  spectrum(windows: string): string {
    const frames = this.#joined(
      [this.#slice(windows, 1, 0, spectrumFrames), this.#slice(windows, 1, 1, hops)],
      2,
    );
    const waves = this.#apply('MatMul', [
      this.#shaped(frames, -1, 2 * hopSamples),
      this.#constant(turned(this.#published('stft.forward_basis_buffer'), 2 * hopSamples)),
    ]);
    const squares = [0, bandCount].map((from) => {
      const part = this.#slice(waves, 1, from, from + bandCount);
      return this.#apply('Mul', [part, part]);
    });
    const power = this.#apply('Add', squares);
    return this.#shaped(this.#apply('Sqrt', [power]), -1, spectrumFrames, bandCount);
  }

  /** Four convolutions over three frames; the second and third take every other frame, which leaves one of four. */
  encoded(bands: string): string {
    const triples = this.#joined(
      [this.#silence(bands, bandCount), bands, this.#silence(bands, bandCount)],
      1,
    );
    const first = this.#convolved(
      this.#joined(
        [0, 1, 2].map((tap) => this.#slice(triples, 1, tap, tap + spectrumFrames)),
        2,
      ),
      0,
      [0, 1, 2],
    );
    const four = this.#shaped(first, -1, spectrumFrames, channels);
    // Frames −1, 0, 1 and 1, 2, 3.
    const twice = this.#joined(
      [this.#silence(four, channels), this.#slice(four, 1, 0, 2), this.#slice(four, 1, 1, spectrumFrames)],
      1,
    );
    const second = this.#convolved(twice, 1, [0, 1, 2]);
    // Frames −1, 0, 1 of two: the first lies outside. Then only one is left.
    return this.#convolved(this.#convolved(second, 2, [1, 2]), 3, [1]);
  }

  remembered(sounds: string, memory: string, cell: string): string {
    const biases = ['bias_ih', 'bias_hh'].map((name) =>
      gatesInOrder(this.#published(`decoder.rnn.${name}`).values),
    );
    this.nodes.push({
      operator: 'LSTM',
      inputs: [
        this.#shaped(sounds, -1, 1, memorySize),
        this.#gates('decoder.rnn.weight_ih'),
        this.#gates('decoder.rnn.weight_hh'),
        this.#constant({
          shape: [1, 8 * memorySize],
          values: Float32Array.from(biases.flatMap((bias) => [...bias])),
        }),
        '',
        memory,
        cell,
      ],
      outputs: ['remembered', 'memoryAfter', 'cellAfter'],
      attributes: { hidden_size: memorySize },
    });
    return this.#shaped('remembered', -1, memorySize);
  }

  judged(heard: string): void {
    const sum = this.#apply('MatMul', [
      this.#apply('Relu', [heard]),
      this.#constant(turned(this.#published('decoder.decoder.2.weight'), memorySize)),
    ]);
    const shifted = this.#apply('Add', [sum, this.#constant(this.#published('decoder.decoder.2.bias'))]);
    this.nodes.push({ operator: 'Sigmoid', inputs: [shifted], outputs: ['probability'] });
  }

  /** `frames` holds the inputs of the chosen taps side by side, for one output after the other. */
  #convolved(frames: string, layer: number, taps: readonly number[]): string {
    const matrix = matrixOfTaps(this.#published(`encoder.${layer}.reparam_conv.weight`), taps);
    const rows = this.#shaped(frames, -1, matrix.shape[0] ?? 0);
    const product = this.#apply('MatMul', [rows, this.#constant(matrix)]);
    const bias = this.#constant(this.#published(`encoder.${layer}.reparam_conv.bias`));
    return this.#apply('Relu', [this.#apply('Add', [product, bias])]);
  }

  /** One frame of zeros for each window of `frames`. */
  #silence(frames: string, width: number): string {
    const zeros = this.#constant({ shape: [1, 1, width], values: new Float32Array(width) });
    return this.#apply('Mul', [this.#slice(frames, 1, 0, 1), zeros]);
  }

  #gates(name: string): string {
    const values = gatesInOrder(this.#published(name).values);
    return this.#constant({ shape: [1, 4 * memorySize, memorySize], values });
  }

  #slice(input: string, axis: number, from: number, to: number): string {
    return this.#apply('Slice', [input, ...[from, to, axis].map((number) => this.#integers([number]))]);
  }

  #joined(inputs: readonly string[], axis: number): string {
    return this.#apply('Concat', inputs, { axis });
  }

  #shaped(input: string, ...shape: number[]): string {
    return this.#apply('Reshape', [input, this.#integers(shape)]);
  }

  #integers(values: readonly number[]): string {
    return this.#constant({ shape: [values.length], values: BigInt64Array.from(values, BigInt) });
  }

  #constant(constant: Omit<OnnxTensor, 'name'>): string {
    const name = `constant${this.weights.length}`;
    this.weights.push({ name, ...constant });
    return name;
  }

  #apply(
    operator: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, number>> = {},
  ): string {
    const name = `value${this.nodes.length}`;
    this.nodes.push({ operator, inputs, outputs: [name], attributes });
    return name;
  }
}

/** [outputs, inputs] as [inputs, outputs]. */
function turned({ values }: Weights, inputs: number): Weights {
  return matrixOfTaps({ shape: [values.length / inputs, inputs, 1], values }, [0]);
}

/** [outputs, inputs, taps] of a convolution as the matrix that takes the inputs of the chosen taps side by side. */
function matrixOfTaps({ shape, values }: Weights, taps: readonly number[]): Weights {
  const [outputs = 0, inputs = 0, tapCount = 0] = shape;
  const matrix = new Float32Array(taps.length * inputs * outputs);
  for (const [place, tap] of taps.entries()) {
    for (let input = 0; input < inputs; input++) {
      for (let output = 0; output < outputs; output++) {
        matrix[(place * inputs + input) * outputs + output] = values[
          (output * inputs + input) * tapCount + tap
        ] as number;
      }
    }
  }
  return { shape: [taps.length * inputs, outputs], values: matrix };
}

/** Published: input, forget, cell, output. ONNX: input, output, forget, cell. */
function gatesInOrder(values: Float32Array): Float32Array {
  const gate = values.length / 4;
  const ordered = new Float32Array(values.length);
  ordered.set(values.subarray(0, gate));
  ordered.set(values.subarray(3 * gate), gate);
  ordered.set(values.subarray(gate, 3 * gate), 2 * gate);
  return ordered;
}
