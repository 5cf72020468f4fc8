/** Changes to the graph of a published network, made when it is loaded. */
import { elementType, graph, model, node, tensor } from './onnx-fields.ts';
import {
  bytesField,
  type Field,
  fieldsOf,
  messageOf,
  nestedMessageOf,
  numberField,
} from './protobuf-fields.ts';

/** Takes the fields of a graph and gives those it shall have. */
export type GraphEdit = (fields: readonly Field[]) => readonly Field[];

/** One after the other; the bytes are copied once, since weights are nearly all of them. */
export function editedGraph(published: Buffer, edits: readonly GraphEdit[]): Buffer {
  const fields = fieldsOf(published);
  const whole = fields.find(({ number }) => number === model.graph);
  if (!whole) throw new Error('the network has no graph');
  const edited = edits.reduce<readonly Field[]>((parts, edit) => edit(parts), fieldsOf(whole.bytes));
  return nestedMessageOf(fields.map((field) => (field === whole ? { ...field, parts: edited } : field)));
}

export function operation(
  operator: string,
  inputs: readonly string[],
  output: string,
  attributes: readonly Field[] = [],
): Field {
  return bytesField(
    graph.node,
    messageOf([
      ...inputs.map((input) => bytesField(node.input, input)),
      bytesField(node.output, output),
      bytesField(node.operator, operator),
      ...attributes,
    ]),
  );
}

/** A list of whole numbers that belongs to the network. */
export function integers(name: string, ...values: number[]): Field {
  return bytesField(
    graph.tensor,
    messageOf([
      numberField(tensor.dimension, values.length),
      numberField(tensor.type, elementType.int64),
      bytesField(tensor.name, name),
      bytesField(tensor.bytes, Buffer.from(BigInt64Array.from(values, BigInt).buffer)),
    ]),
  );
}
