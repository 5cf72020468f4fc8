import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { editedGraph } from './edited-graph.ts';
import { floatConvolutions } from './float-convolutions.ts';
import { GraphBuilder } from './graph-builder.ts';
import { onnxModel } from './onnx-model.ts';

const uint8 = 2;
const float = 1;

/** The difference of two values that follow each other, with weights of 8 bits. */
function quantizedConvolution(): Buffer {
  const builder = new GraphBuilder();
  const bytes = (shape: number[], ...values: number[]) =>
    builder.apply('Cast', [builder.constant(shape, Float32Array.from(values))], { to: uint8 });
  const [weights, zeroPoint] = [bytes([1, 1, 2], 9, 11), bytes([], 10)];
  builder.nodes.push({
    operator: 'DynamicQuantizeLinear',
    inputs: ['x'],
    outputs: ['quantized', 'scale', 'zero'],
  });
  const product = builder.apply('ConvInteger', ['quantized', weights, 'zero', zeroPoint], {
    kernel_shape: [2],
  });
  builder.apply('Mul', [builder.apply('Cast', [product], { to: float }), 'scale'], {}, 'y');
  return onnxModel({
    name: 'convolution',
    nodes: builder.nodes,
    initializers: builder.initializers,
    inputs: [{ name: 'x', shape: [1, 1, 4] }],
    outputs: [{ name: 'y', shape: [1, 1, 3] }],
  });
}

async function differences(network: Buffer): Promise<number[]> {
  const session = await InferenceSession.create(network);
  const { y } = await session.run({ x: new Tensor('float32', [0, 0.25, 0.5, 2000], [1, 1, 4]) });
  await session.release();
  return Array.from(y?.data as Float32Array);
}

test('a convolution hears quiet detail beside an outlier, with the same weights', async () => {
  const published = quantizedConvolution();
  assert.deepEqual((await differences(published)).slice(0, 2), [0, 0]);
  assert.deepEqual(await differences(editedGraph(published, [floatConvolutions])), [0.25, 0.25, 1999.5]);
});

test('a network without quantized convolutions stays the same to the byte', () => {
  const nodes = [{ operator: 'Identity', inputs: ['x'], outputs: ['y'] }];
  const value = (name: string) => [{ name, shape: [1] }];
  const network = onnxModel({
    name: 'same',
    nodes,
    initializers: [],
    inputs: value('x'),
    outputs: value('y'),
  });
  assert.deepEqual(editedGraph(network, [floatConvolutions]), network);
});
