/**
 * Whisper's decoder for its first step, which says the language, and for no more. A decoder is one `If`: with what was
 * written before, and without; only the latter is kept, and of it what leads to the result. Of the words that it can
 * read and write only the marks it needs are kept. It loads in a fraction of the time.
 */
import {
  attribute,
  cutTensor,
  elementType,
  graph,
  model,
  node,
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

const branchWithoutPast = 'else_branch';
const result = 'logits';

/** The marks of every Whisper that knows several languages. It reads only the first of them, as number 0. */
const startMark = 50_258;
/** It writes only these: what was the first is number 0. */
export const firstLanguageMark = 50_259;
const lastLanguageMark = 50_357;

/** `published`: as mended by quick-decoder.ts. */
export function languageDecoder(published: Buffer): Buffer {
  const fields = fieldsOf(published).map((field) =>
    field.number === model.graph ? bytesField(model.graph, firstStep(fieldsOf(field.bytes))) : field,
  );
  return messageOf(fields);
}

function firstStep(whole: readonly Field[]): Buffer {
  const [branch, ...others] = messagesIn(whole, graph.node)
    .flatMap((one) => messagesIn(one, node.attribute))
    .filter((part) => textsOf(part, attribute.name)[0] === branchWithoutPast)
    .flatMap((part) => messagesIn(part, attribute.graph));
  if (!branch || others.length > 0) throw new Error('the decoder has not exactly one branch without a past');
  const outside = whole.filter((field) => isNode(field) && !holdsBranch(field));
  const { nodes, names } = leadingTo(result, [...outside, ...branch.filter(isNode)]);
  const tensors = [...branch, ...whole]
    .filter((field) => field.number === graph.tensor)
    .map((field) => fieldsOf(field.bytes))
    .filter((parts) => names.has(textsOf(parts, tensor.name)[0] ?? ''));
  const inputs = whole.filter((field) => field.number === graph.input && names.has(nameOf(field)));
  return messageOf([
    ...nodes,
    bytesField(graph.name, 'language-decoder'),
    ...withFewWords(tensors, writingTable(nodes)).map((parts) => bytesField(graph.tensor, messageOf(parts))),
    ...inputs,
    bytesField(graph.output, messageOf(resultOfAnyShape())),
  ]);
}

function isNode(field: Field): boolean {
  return field.number === graph.node;
}

function nameOf(end: Field): string {
  return textsOf(fieldsOf(end.bytes), value.name)[0] ?? '';
}

function resultOfAnyShape(): Field[] {
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

/** In the order in which they stood, which is one in which they can be computed; `names`: all that they read. */
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

function writingTable(nodes: readonly Field[]): string {
  const last = nodes
    .map((field) => fieldsOf(field.bytes))
    .find((one) => textsOf(one, node.output)[0] === result);
  return textsOf(last ?? [], node.input)[1] ?? '';
}

/** The table for writing has a column for each word, the one for reading a row. */
function withFewWords(tensors: readonly Field[][], writing: string): Field[][] {
  const [from, to] = [firstLanguageMark, lastLanguageMark];
  const isWriting = (parts: Field[]): boolean => textsOf(parts, tensor.name)[0] === writing;
  const [width = 0, words = 0] = numbersOf(tensors.find(isWriting) ?? [], tensor.dimension);
  if (words <= to) throw new Error('the decoder has no table of words to write');
  return tensors.map((parts) => {
    if (isWriting(parts)) {
      return cutTensor(parts, [width, to + 1 - from], (bytes) =>
        Buffer.concat(
          Array.from({ length: width }, (_, row) => bytes.subarray(row * words + from, row * words + to + 1)),
        ),
      );
    }
    if (numbersOf(parts, tensor.dimension)[0] !== words) return parts;
    return cutTensor(parts, [1, width], (bytes) =>
      bytes.subarray(startMark * width, (startMark + 1) * width),
    );
  });
}
