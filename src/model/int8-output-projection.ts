/**
 * The published 8-bit decoders share one table between token embedding and output projection, and transpose and
 * dequantize the whole of it for every token, which is half of their time. Here the table is stored transposed as well
 * and stays in 8 bits; the product is taken in 8 bits as in all other layers. Decision 0026 has the figures.
 */
import {
  attribute,
  branchesOf,
  elementType,
  graph,
  model,
  node,
  opset,
  tensor,
} from '../onnx/onnx-fields.ts';
import {
  bytesField,
  type Field,
  fieldsOf,
  messageOf,
  numberField,
  numbersOf,
  textsOf,
} from '../onnx/protobuf-fields.ts';

const contribDomain = 'com.microsoft';

interface TiedEmbedding {
  /** One row for each token. */
  name: string;
  scale: string;
  zeroPoint: string;
  /** As the output projection needs it: one column for each token. */
  transposed: string;
}

export function int8OutputProjection(published: Buffer): Buffer {
  const fields = fieldsOf(published);
  const whole = fieldsOf(only(fields, model.graph).bytes);
  const embedding = tiedEmbedding(whole);
  const rewritten = whole.map((field) =>
    field.number === graph.node ? withInt8Branches(field, embedding) : field,
  );
  const transposed = transposedTensor(whole, embedding);
  return messageOf([
    ...fields.map((field) =>
      field.number === model.graph
        ? bytesField(model.graph, messageOf([...rewritten, bytesField(graph.tensor, transposed)]))
        : field,
    ),
    bytesField(
      model.opset,
      messageOf([bytesField(opset.domain, contribDomain), numberField(opset.version, 1)]),
    ),
  ]);
}

/** The one that a branch transposes and then dequantizes. */
function tiedEmbedding(whole: readonly Field[]): TiedEmbedding {
  for (const branch of branchesOf(whole)) {
    const nodes = nodesOf(branch);
    for (const transpose of nodes.filter((one) => one.operator === 'Transpose')) {
      const dequantize = nodes.find(
        (one) => one.operator === 'DequantizeLinear' && one.inputs[0] === transpose.outputs[0],
      );
      const [name] = transpose.inputs;
      const [transposed, scale, zeroPoint] = dequantize?.inputs ?? [];
      if (name && transposed && scale && zeroPoint) return { name, scale, zeroPoint, transposed };
    }
  }
  throw new Error('the decoder has no output projection that it transposes');
}

function transposedTensor(whole: readonly Field[], embedding: TiedEmbedding): Buffer {
  const fields = whole
    .filter((field) => field.number === graph.tensor)
    .map((field) => fieldsOf(field.bytes))
    .find((one) => textsOf(one, tensor.name)[0] === embedding.name);
  const [tokens = 0, width = 0] = numbersOf(fields ?? [], tensor.dimension);
  const bytes = fields && only(fields, tensor.bytes).bytes;
  if (bytes?.length !== tokens * width) throw new Error('the token embedding has another shape than it says');
  const transposed = Buffer.alloc(bytes.length);
  for (let token = 0; token < tokens; token++) {
    for (let i = 0; i < width; i++) transposed[i * tokens + token] = bytes[token * width + i] as number;
  }
  return messageOf([
    numberField(tensor.dimension, width),
    numberField(tensor.dimension, tokens),
    numberField(tensor.type, elementType.uint8),
    bytesField(tensor.name, embedding.transposed),
    bytesField(tensor.bytes, transposed),
  ]);
}

/** The decoder is one `If`: with the key-value cache of the tokens before, and without. */
function withInt8Branches(field: Field, embedding: TiedEmbedding): Field {
  const rewritten = fieldsOf(field.bytes).map((part) => {
    if (part.number !== node.attribute) return part;
    const parts = fieldsOf(part.bytes).map((inner) =>
      inner.number === attribute.graph
        ? bytesField(attribute.graph, int8Branch(inner.bytes, embedding))
        : inner,
    );
    return bytesField(node.attribute, messageOf(parts));
  });
  return bytesField(graph.node, messageOf(rewritten));
}

function int8Branch(branch: Buffer, embedding: TiedEmbedding): Buffer {
  const parts = fieldsOf(branch);
  const nodes = nodesOf(parts);
  const dequantized = nodes.find(
    (one) => one.operator === 'DequantizeLinear' && one.inputs[0] === embedding.transposed,
  )?.outputs[0];
  const fields = parts.flatMap((field) => {
    if (field.number !== graph.node) return [field];
    const one = nodeOf(field);
    if (one.outputs.includes(embedding.transposed)) return [];
    if (dequantized && one.outputs.includes(dequantized)) return [];
    if (one.operator !== 'MatMul' || one.inputs[1] !== dequantized) return [field];
    return [bytesField(graph.node, messageOf(int8MatMul(one, embedding)))];
  });
  return messageOf(fields);
}

function int8MatMul({ inputs, outputs }: Node, embedding: TiedEmbedding): Field[] {
  return [
    ...[inputs[0] ?? '', embedding.transposed, embedding.scale, embedding.zeroPoint].map((name) =>
      bytesField(node.input, name),
    ),
    ...outputs.map((name) => bytesField(node.output, name)),
    bytesField(node.operator, 'DynamicQuantizeMatMul'),
    bytesField(node.domain, contribDomain),
  ];
}

interface Node {
  operator: string;
  inputs: string[];
  outputs: string[];
}

function nodesOf(branch: readonly Field[]): Node[] {
  return branch.filter((field) => field.number === graph.node).map(nodeOf);
}

function nodeOf(field: Field): Node {
  const fields = fieldsOf(field.bytes);
  return {
    operator: textsOf(fields, node.operator)[0] ?? '',
    inputs: textsOf(fields, node.input),
    outputs: textsOf(fields, node.output),
  };
}

function only(fields: readonly Field[], number: number): Field {
  const [found, ...others] = fields.filter((field) => field.number === number);
  if (!found || others.length > 0) throw new Error(`not exactly one field ${number}`);
  return found;
}
