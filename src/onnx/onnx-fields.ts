/** The field numbers of ONNX's messages, as far as they are read or written here. */
import { bytesField, type Field, messagesIn, numberField } from './protobuf-fields.ts';

export const model = { irVersion: 1, producer: 2, graph: 7, opset: 8 };
export const graph = { node: 1, name: 2, tensor: 5, input: 11, output: 12, shape: 13 };
export const node = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 };
export const attribute = { name: 1, integer: 3, tensor: 5, graph: 6, integers: 8, type: 20 };
export const tensor = { dimension: 1, type: 2, name: 8, bytes: 9 };
export const opset = { domain: 1, version: 2 };
export const value = { name: 1, type: 2 };
export const valueType = { tensor: 1 };
export const tensorType = { element: 1, shape: 2 };
export const shape = { dimension: 1 };
export const dimension = { size: 1, name: 2 };

export const elementType = { float: 1, uint8: 2, int64: 7 };

/** A tensor of another shape that keeps some of its bytes. */
export function slicedTensor(
  parts: readonly Field[],
  newShape: readonly number[],
  keep: (bytes: Buffer) => Buffer,
): Field[] {
  return [
    ...newShape.map((size) => numberField(tensor.dimension, size)),
    ...parts
      .filter((part) => part.number !== tensor.dimension)
      .map((part) => (part.number === tensor.bytes ? bytesField(tensor.bytes, keep(part.bytes)) : part)),
  ];
}

/** The graphs in the attributes of a graph's nodes: the branches of an `If`. */
export function branchesOf(whole: readonly Field[]): Field[][] {
  return messagesIn(whole, graph.node)
    .flatMap((one) => messagesIn(one, node.attribute))
    .flatMap((part) => messagesIn(part, attribute.graph));
}
