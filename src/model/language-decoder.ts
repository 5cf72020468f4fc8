/**
 * Whisper's decoder reduced to its first step, which gives the language. The decoder is one `If`: with a key-value cache,
 * and without; only the latter is kept, and of it the nodes that lead to the logits. Of the vocabulary only the start
 * token is kept for reading and the language tokens for writing. It loads in a fraction of the time.
 */
import {
  attribute,
  elementType,
  graph,
  model,
  node,
  slicedTensor,
  tensor,
  tensorType,
  value,
  valueType,
} from '../onnx/onnx-fields.ts';
import {
  bytesField,
  type Field,
  fieldsOf,
  messageOf,
  messagesIn,
  numberField,
  numbersOf,
  textsOf,
} from '../onnx/protobuf-fields.ts';

const branchWithoutCache = 'else_branch';
/** Part of the file, whose hash is in the manifest: to change it is to change the model. */
const graphName = 'first-step';
const result = 'logits';

/** Tokens of every multilingual Whisper. The start token is read as token 0. */
const startToken = 50_258;
/** Only these have logits: the first has index 0. */
export const firstLanguageToken = 50_259;
const lastLanguageToken = 50_357;

/** `decoder`: after `int8OutputProjection`. */
export function languageDecoder(decoder: Buffer): Buffer {
  const fields = fieldsOf(decoder).map((field) =>
    field.number === model.graph ? bytesField(model.graph, languageGraph(fieldsOf(field.bytes))) : field,
  );
  return messageOf(fields);
}

function languageGraph(whole: readonly Field[]): Buffer {
  const [branch, ...others] = messagesIn(whole, graph.node)
    .flatMap((one) => messagesIn(one, node.attribute))
    .filter((part) => textsOf(part, attribute.name)[0] === branchWithoutCache)
    .flatMap((part) => messagesIn(part, attribute.graph));
  if (!branch || others.length > 0) throw new Error('the decoder has not exactly one branch without a cache');
  const outside = whole.filter((field) => isNode(field) && !holdsBranch(field));
  const { nodes, names } = leadingTo(result, [...outside, ...branch.filter(isNode)]);
  const tensors = [...branch, ...whole]
    .filter((field) => field.number === graph.tensor)
    .map((field) => fieldsOf(field.bytes))
    .filter((parts) => names.has(textsOf(parts, tensor.name)[0] ?? ''));
  const inputs = whole.filter((field) => field.number === graph.input && names.has(nameOf(field)));
  return messageOf([
    ...nodes,
    bytesField(graph.name, graphName),
    ...withLanguageTokens(tensors, outputProjection(nodes)).map((parts) =>
      bytesField(graph.tensor, messageOf(parts)),
    ),
    ...inputs,
    bytesField(graph.output, messageOf(logitsOfAnyShape())),
  ]);
}

function isNode(field: Field): boolean {
  return field.number === graph.node;
}

function nameOf(end: Field): string {
  return textsOf(fieldsOf(end.bytes), value.name)[0] ?? '';
}

function logitsOfAnyShape(): Field[] {
  const floats = messageOf([numberField(tensorType.element, elementType.float)]);
  return [
    bytesField(value.name, result),
    bytesField(value.type, messageOf([bytesField(valueType.tensor, floats)])),
  ];
}

function holdsBranch(field: Field): boolean {
  return messagesIn(fieldsOf(field.bytes), node.attribute).some(
    (part) => messagesIn(part, attribute.graph).length > 0,
  );
}

/** In their topological order; `names`: all values that they read. */
function leadingTo(output: string, all: readonly Field[]): { nodes: Field[]; names: Set<string> } {
  const names = new Set([output]);
  const nodes: Field[] = [];
  for (const field of all.toReversed()) {
    const parts = fieldsOf(field.bytes);
    if (!textsOf(parts, node.output).some((name) => names.has(name))) continue;
    for (const name of textsOf(parts, node.input)) names.add(name);
    nodes.push(field);
  }
  return { nodes: nodes.reverse(), names };
}

function outputProjection(nodes: readonly Field[]): string {
  const last = nodes
    .map((field) => fieldsOf(field.bytes))
    .find((one) => textsOf(one, node.output)[0] === result);
  return textsOf(last ?? [], node.input)[1] ?? '';
}

/** The output projection has a column for each token, the embedding a row. */
function withLanguageTokens(tensors: readonly Field[][], projection: string): Field[][] {
  const [from, to] = [firstLanguageToken, lastLanguageToken];
  const isProjection = (parts: Field[]): boolean => textsOf(parts, tensor.name)[0] === projection;
  const [width = 0, tokens = 0] = numbersOf(tensors.find(isProjection) ?? [], tensor.dimension);
  if (tokens <= to) throw new Error('the decoder has no output projection');
  return tensors.map((parts) => {
    if (isProjection(parts)) {
      return slicedTensor(parts, [width, to + 1 - from], (bytes) =>
        Buffer.concat(
          Array.from({ length: width }, (_, row) =>
            bytes.subarray(row * tokens + from, row * tokens + to + 1),
          ),
        ),
      );
    }
    if (numbersOf(parts, tensor.dimension)[0] !== tokens) return parts;
    return slicedTensor(parts, [1, width], (bytes) =>
      bytes.subarray(startToken * width, (startToken + 1) * width),
    );
  });
}
