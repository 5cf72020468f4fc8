/** The numbers of the fields in ONNX's messages, as far as they are read or written here. */
export const model = { graph: 7, operatorSet: 8 };
export const graph = { node: 1, tensor: 5, shape: 13 };
export const node = { input: 1, output: 2, operator: 4, attribute: 5, domain: 7 };
export const attribute = { graph: 6 };
export const tensor = { dimension: 1, type: 2, name: 8, bytes: 9 };
export const operatorSet = { domain: 1, version: 2 };
