/**
 * The published decoder keeps its cross-attention to itself. Here the attention weights of each layer become outputs
 * `cross_attentions.N`, as Whisper's decoders have them: where a token attends to is where its word is heard.
 */
import {
  attribute,
  elementType,
  graph,
  model,
  node,
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
  textsOf,
} from '../onnx/protobuf-fields.ts';

const weights = /\/layers\.(\d+)\/encoder_attn\/Softmax_output_0$/;

export function crossAttentionOutputs(decoder: Buffer): Buffer {
  const fields = fieldsOf(decoder).map((field) =>
    field.number === model.graph ? bytesField(model.graph, graphWithOutputs(fieldsOf(field.bytes))) : field,
  );
  return messageOf(fields);
}

/** The decoder is one `If`, whose branches give the same values in the same order. */
function graphWithOutputs(whole: readonly Field[]): Buffer {
  const branches = whole.filter((field) => field.number === graph.node && branchesIn(field).length > 0);
  const [decision] = branches;
  const [names, ...others] = decision ? branchesIn(decision).map(attentionNames) : [];
  if (branches.length !== 1 || !names || names.length === 0 || others.some((one) => `${one}` !== `${names}`))
    throw new Error('the decoder has no cross-attention where it is looked for');
  const outputs = names.map((_, layer) => `cross_attentions.${layer}`);
  return messageOf([
    ...whole.map((field) => (field === decision ? decisionWithOutputs(field, names, outputs) : field)),
    ...outputs.map((name) => bytesField(graph.output, floats(name))),
  ]);
}

function branchesIn(field: Field): Field[][] {
  return messagesIn(fieldsOf(field.bytes), node.attribute).flatMap((part) =>
    messagesIn(part, attribute.graph),
  );
}

/** By layer. */
function attentionNames(branch: readonly Field[]): string[] {
  const names: string[] = [];
  for (const one of messagesIn(branch, graph.node)) {
    const [output = ''] = textsOf(one, node.output);
    const layer = weights.exec(output)?.[1];
    if (layer !== undefined) names[Number(layer)] = output;
  }
  return names;
}

function decisionWithOutputs(field: Field, names: readonly string[], outputs: readonly string[]): Field {
  const inBranch = names.map((name) => bytesField(graph.output, floats(name)));
  const parts = fieldsOf(field.bytes).map((part) => {
    if (part.number !== node.attribute) return part;
    const inner = fieldsOf(part.bytes).map((one) =>
      one.number === attribute.graph
        ? bytesField(attribute.graph, messageOf([...fieldsOf(one.bytes), ...inBranch]))
        : one,
    );
    return bytesField(node.attribute, messageOf(inner));
  });
  const added = outputs.map((name) => bytesField(node.output, name));
  return bytesField(graph.node, messageOf([...parts, ...added]));
}

/** A tensor of floating-point numbers, of any shape. */
function floats(name: string): Buffer {
  const type = messageOf([numberField(tensorType.element, elementType.float)]);
  return messageOf([
    bytesField(value.name, name),
    bytesField(value.type, messageOf([bytesField(valueType.tensor, type)])),
  ]);
}
