import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { editedGraph } from '../../../onnx/edited-graph.ts';
import { onnxModel } from '../../../onnx/onnx-model.ts';
import { encoderEdits } from './encoder-graph.ts';

const width = 2;

/** Adds positions of a window of four to the audio, and gives an attention besides. */
function published(positions: string): Buffer {
  return onnxModel({
    name: 'encoder',
    nodes: [
      { operator: 'Add', inputs: ['audio', positions], outputs: ['last_hidden_state'] },
      { operator: 'Identity', inputs: ['last_hidden_state'], outputs: ['encoder_attentions.0'] },
    ],
    initializers: [{ name: positions, shape: [4, width], values: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8) }],
    inputs: [{ name: 'audio', shape: [1, 'length', width] }],
    outputs: ['last_hidden_state', 'encoder_attentions.0'].map((name) => ({
      name,
      shape: [1, 'length', width],
    })),
  });
}

test('the encoder takes a shorter window than it was published for, and gives one output', async () => {
  const network = await InferenceSession.create(
    editedGraph(published('embed_positions.weight'), encoderEdits),
  );
  assert.deepEqual(network.outputNames, ['last_hidden_state']);
  for (const length of [4, 3]) {
    const audio = new Tensor('float32', new Float32Array(length * width), [1, length, width]);
    const { last_hidden_state } = await network.run({ audio });
    assert.deepEqual(
      Array.from(last_hidden_state?.data as Float32Array),
      [1, 2, 3, 4, 5, 6, 7, 8].slice(0, length * width),
    );
  }
  await network.release();
});

test('an encoder without positions where they are looked for is refused', () => {
  assert.throws(() => editedGraph(published('others'), encoderEdits), /no position embedding/);
});
