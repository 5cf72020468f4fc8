/** Networks of a few numbers in the form in which the decoders and encoders of recognizers are published. */
import { bytesField, type Field, messageOf, numberField } from '../../src/onnx/protobuf-fields.ts';

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

/** Attention weights as they are inside a branch, which does not give them. */
const attentionWeights = '/model/decoder/layers.0/encoder_attn/Softmax_output_0';

function branch(name: string, tokens: number, attention: boolean): Buffer {
  const graph = message(
    ...(attention ? [node('Softmax', ['hidden'], [attentionWeights])] : []),
    node('Transpose', ['table'], ['transposed']),
    node('DequantizeLinear', ['transposed', 'scale', 'zero'], ['dequantized']),
    node('MatMul', ['hidden', 'dequantized'], ['logits']),
    bytesField(2, name),
    value(12, 'logits', float, [1, tokens]),
  );
  return message(bytesField(1, name), bytesField(6, graph), numberField(20, 5));
}

/** A decoder with nothing but its output projection, in the shape in which Moonshine and Whisper are published. */
export function smallDecoder({
  tokens,
  width,
  attention = false,
}: {
  tokens: number;
  width: number;
  attention?: boolean;
}): Buffer {
  const table = Buffer.from(Array.from({ length: tokens * width }, (_, i) => (i * 7919) % 251));
  const scale = Buffer.from(new Uint8Array(Float32Array.of(0.02).buffer));
  const graph = message(
    node(
      'If',
      ['use_cache_branch'],
      ['logits'],
      [branch('else_branch', tokens, attention), branch('then_branch', tokens, attention)],
    ),
    bytesField(2, 'decoder'),
    tensor('table', byte, [tokens, width], table),
    tensor('scale', float, [], scale),
    tensor('zero', byte, [], Buffer.of(120)),
    value(11, 'hidden', float, [1, width]),
    value(11, 'use_cache_branch', bool, [1]),
    value(12, 'logits', float, [1, tokens]),
  );
  const operators = message(bytesField(1, ''), numberField(2, 14));
  return message(numberField(1, 8), bytesField(7, graph), bytesField(8, operators));
}

/** An encoder with nothing but its position embedding. */
export function smallEncoder({ positions, width }: { positions: number; width: number }): Buffer {
  const table = Buffer.from(Float32Array.from({ length: positions * width }, (_, i) => i % 97).buffer);
  const graph = message(
    node('Identity', ['embed_positions.weight'], ['last_hidden_state']),
    bytesField(2, 'encoder'),
    tensor('embed_positions.weight', float, [positions, width], table),
    value(12, 'last_hidden_state', float, [positions, width]),
  );
  return message(numberField(1, 8), bytesField(7, graph));
}
