/** Writes the little of the ONNX format that a feed-forward network needs: its protobuf messages, by field number. */

export interface OnnxTensor {
  name: string;
  shape: readonly number[];
  values: Float32Array;
}

export interface OnnxNode {
  operator: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** Integer lists, or one integer. */
  attributes?: Readonly<Record<string, readonly number[] | number>>;
}

export interface OnnxValue {
  name: string;
  /** A string is a dimension known only at run time. */
  shape: readonly (number | string)[];
}

export interface OnnxGraph {
  name: string;
  nodes: readonly OnnxNode[];
  weights: readonly OnnxTensor[];
  inputs: readonly OnnxValue[];
  outputs: readonly OnnxValue[];
}

const irVersion = 8;
const operatorSetVersion = 13;
const floatType = 1;

function varint(value: number): Buffer {
  const bytes: number[] = [];
  // Negative numbers are 64-bit two's complement.
  let rest = BigInt.asUintN(64, BigInt(value));
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

function integer(field: number, value: number): Buffer {
  return Buffer.concat([varint(field << 3), varint(value)]);
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint((field << 3) | 2), varint(value.length), value]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}

function tensor({ name, shape, values }: OnnxTensor): Buffer {
  const raw = Buffer.alloc(values.length * 4);
  values.forEach((value, index) => {
    raw.writeFloatLE(value, index * 4);
  });
  const dimensions = shape.map((size) => integer(1, size));
  return Buffer.concat([...dimensions, integer(2, floatType), text(8, name), bytes(9, raw)]);
}

function attribute(name: string, value: readonly number[] | number): Buffer {
  if (typeof value === 'number') return Buffer.concat([text(1, name), integer(3, value), integer(20, 2)]);
  return Buffer.concat([text(1, name), ...value.map((item) => integer(8, item)), integer(20, 7)]);
}

function node({ operator, inputs, outputs, attributes = {} }: OnnxNode): Buffer {
  return Buffer.concat([
    ...inputs.map((name) => text(1, name)),
    ...outputs.map((name) => text(2, name)),
    text(4, operator),
    ...Object.entries(attributes).map(([name, value]) => bytes(5, attribute(name, value))),
  ]);
}

function valueInfo({ name, shape }: OnnxValue): Buffer {
  const dimensions = shape.map((size) =>
    bytes(1, typeof size === 'number' ? integer(1, size) : text(2, size)),
  );
  const tensorType = Buffer.concat([integer(1, floatType), bytes(2, Buffer.concat(dimensions))]);
  return Buffer.concat([text(1, name), bytes(2, bytes(1, tensorType))]);
}

export function onnxModel(graph: OnnxGraph): Buffer {
  const body = Buffer.concat([
    ...graph.nodes.map((item) => bytes(1, node(item))),
    text(2, graph.name),
    ...graph.weights.map((item) => bytes(5, tensor(item))),
    ...graph.inputs.map((item) => bytes(11, valueInfo(item))),
    ...graph.outputs.map((item) => bytes(12, valueInfo(item))),
  ]);
  return Buffer.concat([
    integer(1, irVersion),
    text(2, 'longhand'),
    bytes(7, body),
    bytes(8, integer(2, operatorSetVersion)),
  ]);
}
