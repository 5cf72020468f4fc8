import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { smallDecoder, smallEncoder } from '../../test/support/small-whisper.ts';
import { fieldsOf, messageOf } from '../onnx/protobuf-fields.ts';
import { int8OutputProjection } from './int8-output-projection.ts';

const tokens = 96;
const width = 32;
const published = () => smallDecoder({ tokens, width });

async function logits(model: Buffer, cached: boolean): Promise<number[]> {
  const network = await InferenceSession.create(model, { graphOptimizationLevel: 'disabled' });
  const hidden = Float32Array.from({ length: width }, (_, i) => Math.sin(i * 1.7));
  const result = await network.run({
    hidden: new Tensor('float32', hidden, [1, width]),
    use_cache_branch: new Tensor('bool', Uint8Array.of(cached ? 1 : 0), [1]),
  });
  return Array.from((result.logits as Tensor).data as Float32Array);
}

test('the logits are those of the published decoder, in both of its branches', async () => {
  const rewritten = int8OutputProjection(published());
  for (const cached of [false, true]) {
    const before = await logits(published(), cached);
    const after = await logits(rewritten, cached);
    assert.equal(after.length, tokens);
    const largest = Math.max(...before.map(Math.abs));
    for (const [i, expected] of before.entries()) {
      // The hidden state is rounded to 8 bits, as everywhere else in these models.
      assert.ok(
        Math.abs((after[i] ?? 0) - expected) < largest * 0.02,
        `word ${i}: ${after[i]}, not ${expected}`,
      );
    }
    assert.equal(after.indexOf(Math.max(...after)), before.indexOf(Math.max(...before)));
  }
});

test('neither branch transposes or dequantizes the table any more', () => {
  const rewritten = int8OutputProjection(published()).toString('latin1');
  assert.equal(rewritten.includes('Transpose'), false);
  assert.equal(rewritten.includes('DequantizeLinear'), false);
  assert.equal(rewritten.split('DynamicQuantizeMatMul').length - 1, 2);
});

test('a model without such a table, or cut off, is refused', () => {
  assert.throws(() => int8OutputProjection(smallEncoder({ positions: 2, width: 2 })), /no output projection/);
  const whole = published();
  assert.throws(() => int8OutputProjection(whole.subarray(0, whole.length / 2)), /ends inside/);
});

test('a message is written as it was read', () => {
  const whole = published();
  assert.ok(messageOf(fieldsOf(whole)).equals(whole));
});
