/** Writes as much of the ONNX format as our own graphs need. */
import * as onnx from './onnx-fields.ts';
import { bytesField, type Field, messageOf, numberField } from './protobuf-fields.ts';

export interface OnnxTensor {
  name: string;
  shape: readonly number[];
  values: Float32Array | BigInt64Array;
}

export interface OnnxNode {
  operator: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** Integer lists, or one integer; none is negative. */
  attributes?: Readonly<Record<string, readonly number[] | number>>;
}

interface OnnxValue {
  name: string;
  /** A string is a dimension known only at run time. */
  shape: readonly (number | string)[];
  /** Without it, floating-point numbers. */
  type?: keyof typeof onnx.elementType;
}

interface OnnxGraph {
  name: string;
  nodes: readonly OnnxNode[];
  initializers: readonly OnnxTensor[];
  inputs: readonly OnnxValue[];
  outputs: readonly OnnxValue[];
}

const irVersion = 8;
const opsetVersion = 17;
const integerAttribute = 2;
const integersAttribute = 7;

export function onnxModel(graph: OnnxGraph): Buffer {
  const body = messageOf([
    ...graph.nodes.map((item) => bytesField(onnx.graph.node, node(item))),
    bytesField(onnx.graph.name, graph.name),
    ...graph.initializers.map((item) => bytesField(onnx.graph.tensor, tensor(item))),
    ...graph.inputs.map((item) => bytesField(onnx.graph.input, value(item))),
    ...graph.outputs.map((item) => bytesField(onnx.graph.output, value(item))),
  ]);
  return messageOf([
    numberField(onnx.model.irVersion, irVersion),
    bytesField(onnx.model.producer, 'longhand'),
    bytesField(onnx.model.graph, body),
    bytesField(onnx.model.opset, messageOf([numberField(onnx.opset.version, opsetVersion)])),
  ]);
}

function tensor({ name, shape, values }: OnnxTensor): Buffer {
  return messageOf([
    ...shape.map((size) => numberField(onnx.tensor.dimension, size)),
    numberField(
      onnx.tensor.type,
      values instanceof Float32Array ? onnx.elementType.float : onnx.elementType.int64,
    ),
    bytesField(onnx.tensor.name, name),
    bytesField(onnx.tensor.bytes, Buffer.from(values.buffer, values.byteOffset, values.byteLength)),
  ]);
}

function attribute(name: string, content: readonly number[] | number): Field {
  const fields =
    typeof content === 'number'
      ? [numberField(onnx.attribute.integer, content), numberField(onnx.attribute.type, integerAttribute)]
      : [
          ...content.map((item) => numberField(onnx.attribute.integers, item)),
          numberField(onnx.attribute.type, integersAttribute),
        ];
  return bytesField(onnx.node.attribute, messageOf([bytesField(onnx.attribute.name, name), ...fields]));
}

function node({ operator, inputs, outputs, attributes = {} }: OnnxNode): Buffer {
  return messageOf([
    ...inputs.map((name) => bytesField(onnx.node.input, name)),
    ...outputs.map((name) => bytesField(onnx.node.output, name)),
    bytesField(onnx.node.operator, operator),
    ...Object.entries(attributes).map(([name, content]) => attribute(name, content)),
  ]);
}

function value({ name, shape, type = 'float' }: OnnxValue): Buffer {
  const sizes = shape.map((size) =>
    bytesField(
      onnx.shape.dimension,
      messageOf([
        typeof size === 'number'
          ? numberField(onnx.dimension.size, size)
          : bytesField(onnx.dimension.name, size),
      ]),
    ),
  );
  const tensorType = messageOf([
    numberField(onnx.tensorType.element, onnx.elementType[type]),
    bytesField(onnx.tensorType.shape, messageOf(sizes)),
  ]);
  return messageOf([
    bytesField(onnx.value.name, name),
    bytesField(onnx.value.type, messageOf([bytesField(onnx.valueType.tensor, tensorType)])),
  ]);
}
