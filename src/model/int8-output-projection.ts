/**
 * Moonshine's decoder as published turns its whole table of words around and widens it to 32 bits again for every
 * word it writes, which is half of its time. Here the table is turned around once and stays in 8 bits; the product is
 * taken in 8 bits as in all other layers. The words stay the same; decision 0026 has the figures.
 */
import {
  attribute,
  branchesOf,
  elementType,
  graph,
  model,
  node,
  operatorSet,
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

interface Table {
  /** In the file: one row for each word. */
  name: string;
  scale: string;
  zeroPoint: string;
  /** As the product needs it: one column for each word. */
  turned: string;
}

export function int8OutputProjection(published: Buffer): Buffer {
  const fields = fieldsOf(published);
  const whole = fieldsOf(only(fields, model.graph).bytes);
  const table = tableOf(whole);
  const rewritten = whole.map((field) =>
    field.number === graph.node ? withQuickBranches(field, table) : field,
  );
  const turned = turnedTable(whole, table);
  return messageOf([
    ...fields.map((field) =>
      field.number === model.graph
        ? bytesField(model.graph, messageOf([...rewritten, bytesField(graph.tensor, turned)]))
        : field,
    ),
    bytesField(
      model.operatorSet,
      messageOf([bytesField(operatorSet.domain, contribDomain), numberField(operatorSet.version, 1)]),
    ),
  ]);
}

/** The one that a branch turns around before it widens it. */
function tableOf(whole: readonly Field[]): Table {
  for (const branch of branchesOf(whole)) {
    const nodes = nodesOf(branch);
    for (const turn of nodes.filter((one) => one.operator === 'Transpose')) {
      const widen = nodes.find(
        (one) => one.operator === 'DequantizeLinear' && one.inputs[0] === turn.outputs[0],
      );
      const [name] = turn.inputs;
      const [turned, scale, zeroPoint] = widen?.inputs ?? [];
      if (name && turned && scale && zeroPoint) return { name, scale, zeroPoint, turned };
    }
  }
  throw new Error('the decoder has no table of words that it turns around');
}

function turnedTable(whole: readonly Field[], table: Table): Buffer {
  const fields = whole
    .filter((field) => field.number === graph.tensor)
    .map((field) => fieldsOf(field.bytes))
    .find((one) => textsOf(one, tensor.name)[0] === table.name);
  const [words = 0, width = 0] = numbersOf(fields ?? [], tensor.dimension);
  const bytes = fields && only(fields, tensor.bytes).bytes;
  if (bytes?.length !== words * width) throw new Error('the table of words has another shape than it says');
  const turned = Buffer.alloc(bytes.length);
  for (let word = 0; word < words; word++) {
    for (let i = 0; i < width; i++) turned[i * words + word] = bytes[word * width + i] as number;
  }
  return messageOf([
    numberField(tensor.dimension, width),
    numberField(tensor.dimension, words),
    numberField(tensor.type, elementType.unsignedByte),
    bytesField(tensor.name, table.turned),
    bytesField(tensor.bytes, turned),
  ]);
}

/** The decoder is one `If`: with what was said before, and without. */
function withQuickBranches(field: Field, table: Table): Field {
  const rewritten = fieldsOf(field.bytes).map((part) => {
    if (part.number !== node.attribute) return part;
    const parts = fieldsOf(part.bytes).map((inner) =>
      inner.number === attribute.graph ? bytesField(attribute.graph, quickBranch(inner.bytes, table)) : inner,
    );
    return bytesField(node.attribute, messageOf(parts));
  });
  return bytesField(graph.node, messageOf(rewritten));
}

function quickBranch(branch: Buffer, table: Table): Buffer {
  const parts = fieldsOf(branch);
  const nodes = nodesOf(parts);
  const widened = nodes.find((one) => one.operator === 'DequantizeLinear' && one.inputs[0] === table.turned)
    ?.outputs[0];
  const fields = parts.flatMap((field) => {
    if (field.number !== graph.node) return [field];
    const one = nodeOf(field);
    if (one.outputs.includes(table.turned) || (widened && one.outputs.includes(widened))) return [];
    if (one.operator !== 'MatMul' || one.inputs[1] !== widened) return [field];
    return [bytesField(graph.node, messageOf(quickProduct(one, table)))];
  });
  return messageOf(fields);
}

function quickProduct({ inputs, outputs }: Node, table: Table): Field[] {
  return [
    ...[inputs[0] ?? '', table.turned, table.scale, table.zeroPoint].map((name) =>
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
