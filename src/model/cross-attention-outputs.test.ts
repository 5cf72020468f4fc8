import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { smallDecoder } from '../../test/support/small-whisper.ts';
import { crossAttentionOutputs } from './cross-attention-outputs.ts';

const tokens = 8;
const width = 4;
const hidden = Float32Array.of(0.5, -1, 2, 0);

async function outputs(model: Buffer, cached: boolean) {
  const network = await InferenceSession.create(model, { graphOptimizationLevel: 'disabled' });
  return network.run({
    hidden: new Tensor('float32', hidden, [1, width]),
    use_cache_branch: new Tensor('bool', Uint8Array.of(cached ? 1 : 0), [1]),
  });
}

test('either branch gives the attention of its layers, and the same logits as before', async () => {
  const published = smallDecoder({ tokens, width, attention: true });
  const exponentials = hidden.map(Math.exp);
  const sum = exponentials.reduce((total, one) => total + one, 0);
  for (const cached of [false, true]) {
    const before = await outputs(published, cached);
    const after = await outputs(crossAttentionOutputs(published), cached);
    assert.deepEqual(after.logits?.data, before.logits?.data);
    const weights = Array.from(after['cross_attentions.0']?.data as Float32Array);
    for (const [i, weight] of weights.entries())
      assert.ok(Math.abs(weight - (exponentials[i] ?? 0) / sum) < 1e-6, `${weights}`);
    assert.equal(weights.length, width);
  }
});

test('a decoder without attention where it is looked for is refused', () => {
  assert.throws(() => crossAttentionOutputs(smallDecoder({ tokens, width })), /no cross-attention/);
});
