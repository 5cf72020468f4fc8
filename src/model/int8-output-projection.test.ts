import assert from 'node:assert/strict';
import { test } from 'node:test';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { bytesField, type Field, fieldsOf, messageOf, numberField } from '../onnx/protobuf-fields.ts';
import { int8OutputProjection } from './int8-output-projection.ts';

const words = 96;
const width = 32;
const table = Buffer.from(Array.from({ length: words * width }, (_, i) => (i * 7919) % 251));
const float = 1;
const byte = 2;
const bool = 9;

const message = (...fields: Field[]): Buffer => messageOf(fields);

function node(operator: string, inputs: string[], outputs: string[], attributes: Buffer[] = []): Field {
  return bytesField(
    1,
    message(
      ...inputs.map((name) => bytesField(1, name)),
      ...outputs.map((name) => bytesField(2, name)),
      bytesField(4, operator),
      ...attributes.map((attribute) => bytesField(5, attribute)),
    ),
  );
}

function tensor(name: string, type: number, dimensions: number[], bytes: Buffer): Field {
  const sizes = dimensions.map((size) => numberField(1, size));
  return bytesField(5, message(...sizes, numberField(2, type), bytesField(8, name), bytesField(9, bytes)));
}

function value(field: number, name: string, type: number, sizes: number[]): Field {
  const shape = message(...sizes.map((size) => bytesField(1, message(numberField(1, size)))));
  const tensorType = message(numberField(1, type), bytesField(2, shape));
  return bytesField(field, message(bytesField(1, name), bytesField(2, message(bytesField(1, tensorType)))));
}

function branch(name: string): Buffer {
  const graph = message(
    node('Transpose', ['table'], ['turned']),
    node('DequantizeLinear', ['turned', 'scale', 'zero'], ['wide']),
    node('MatMul', ['heard', 'wide'], ['logits']),
    bytesField(2, name),
    value(12, 'logits', float, [1, words]),
  );
  return message(bytesField(1, name), bytesField(6, graph), numberField(20, 5));
}

/** A decoder with nothing but its last step, in the shape in which Moonshine and Whisper are published. */
function published(): Buffer {
  const scale = Buffer.from(new Uint8Array(Float32Array.of(0.02).buffer));
  const graph = message(
    node('If', ['use_cache_branch'], ['logits'], [branch('else_branch'), branch('then_branch')]),
    bytesField(2, 'decoder'),
    tensor('table', byte, [words, width], table),
    tensor('scale', float, [], scale),
    tensor('zero', byte, [], Buffer.of(120)),
    value(11, 'heard', float, [1, width]),
    value(11, 'use_cache_branch', bool, [1]),
    value(12, 'logits', float, [1, words]),
  );
  const operators = message(bytesField(1, ''), numberField(2, 14));
  return message(numberField(1, 8), bytesField(7, graph), bytesField(8, operators));
}

async function logits(model: Buffer, cached: boolean): Promise<number[]> {
  const session = await InferenceSession.create(model, { graphOptimizationLevel: 'disabled' });
  const heard = Float32Array.from({ length: width }, (_, i) => Math.sin(i * 1.7));
  const result = await session.run({
    heard: new Tensor('float32', heard, [1, width]),
    use_cache_branch: new Tensor('bool', Uint8Array.of(cached ? 1 : 0), [1]),
  });
  return Array.from((result.logits as Tensor).data as Float32Array);
}

test('the quick decoder says what the published one says, in both of its branches', async () => {
  const quick = int8OutputProjection(published());
  for (const cached of [false, true]) {
    const before = await logits(published(), cached);
    const after = await logits(quick, cached);
    assert.equal(after.length, words);
    const largest = Math.max(...before.map(Math.abs));
    for (const [i, expected] of before.entries()) {
      // What was heard is rounded to 8 bits, as everywhere else in these models.
      assert.ok(
        Math.abs((after[i] ?? 0) - expected) < largest * 0.02,
        `word ${i}: ${after[i]}, not ${expected}`,
      );
    }
    assert.equal(after.indexOf(Math.max(...after)), before.indexOf(Math.max(...before)));
  }
});

test('neither branch turns or widens the table any more', () => {
  const quick = int8OutputProjection(published()).toString('latin1');
  assert.equal(quick.includes('Transpose'), false);
  assert.equal(quick.includes('DequantizeLinear'), false);
  assert.equal(quick.split('DynamicQuantizeMatMul').length - 1, 2);
});

test('a model without such a table, or cut off, is refused', () => {
  const plain = message(bytesField(7, message(node('Add', ['a', 'b'], ['c']))));
  assert.throws(() => int8OutputProjection(plain), /no table of words/);
  const whole = published();
  assert.throws(() => int8OutputProjection(whole.subarray(0, whole.length / 2)), /ends inside/);
});

test('a message is written as it was read', () => {
  const whole = published();
  assert.ok(messageOf(fieldsOf(whole)).equals(whole));
});
