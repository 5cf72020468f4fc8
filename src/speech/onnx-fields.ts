/** The numbers of the fields in ONNX's messages, as far as they are read or written here. */
import { type Field, fieldsOf } from './protobuf-fields.ts';

export const model = { formatVersion: 1, producer: 2, graph: 7, operatorSet: 8 };
export const graph = { node: 1, name: 2, tensor: 5, input: 11, output: 12, shape: 13 };
export const node = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 };
export const attribute = { name: 1, integer: 3, tensor: 5, graph: 6, integers: 8, type: 20 };
export const tensor = { dimension: 1, type: 2, name: 8, bytes: 9 };
export const operatorSet = { domain: 1, version: 2 };
export const value = { name: 1, type: 2 };
export const valueType = { tensor: 1 };
export const tensorType = { element: 1, shape: 2 };
export const shape = { dimension: 1 };
export const dimension = { size: 1, name: 2 };

export const elementType = { float: 1, unsignedByte: 2, integer: 7 };

/** The messages in all fields of one number. */
export function inside(fields: readonly Field[], number: number): Field[][] {
  return fields.filter((field) => field.number === number).map((field) => fieldsOf(field.bytes));
}

/** The graphs inside the operators of a graph: the branches of an `If`. */
export function branchesOf(whole: readonly Field[]): Field[][] {
  return inside(whole, graph.node)
    .flatMap((one) => inside(one, node.attribute))
    .flatMap((part) => inside(part, attribute.graph));
}
