/**
 * Whisper's published decoder wants the keys and values of the audio once for each row of a batch: 110 MB a row for
 * Whisper small. Rows are hypotheses about the same audio, and each has one token in the branch with a cache. So in the
 * cross-attention rows and tokens change places: to it they are several tokens of one row, and one copy serves them all.
 */
import type { GraphEdit } from '../../../onnx/edited-graph.ts';
import { attribute, graph, node } from '../../../onnx/onnx-fields.ts';
import { bytesField, type Field, fieldsOf, messageOf, textsOf } from '../../../onnx/protobuf-fields.ts';

const branchWithCache = 'then_branch';
/** The number of rows and that of tokens, taken from the shape of the layer's input. */
const rowCount = '/encoder_attn/Gather_output_0';
const tokenCount = '/encoder_attn/Gather_1_output_0';
/** The shape of its output: rows, tokens, width. */
const outputShape = '/encoder_attn/Concat_7_output_0';

export const decoderEdits: readonly GraphEdit[] = [withSharedAudio];

function withSharedAudio(fields: readonly Field[]): Field[] {
  let layers = 0;
  const edited = fields.map((field) => {
    if (field.number !== graph.node) return field;
    return rebuilt(field, node.attribute, (part) => {
      if (textsOf(fieldsOf(part.bytes), attribute.name)[0] !== branchWithCache) return part;
      return rebuilt(part, attribute.graph, (branch) =>
        rebuilt(branch, graph.node, (one) => {
          const transposed = transposedNode(fieldsOf(one.bytes));
          if (transposed) layers++;
          return transposed ? bytesField(graph.node, messageOf(transposed)) : one;
        }),
      );
    });
  });
  if (layers === 0) throw new Error('the decoder has no cross-attention where it is looked for');
  return edited;
}

/** The field with each of its fields of this number changed; the same one if none is. */
function rebuilt(field: Field, number: number, change: (inner: Field) => Field): Field {
  const parts = fieldsOf(field.bytes);
  const changed = parts.map((part) => (part.number === number ? change(part) : part));
  return changed.every((part, i) => part === parts[i]) ? field : bytesField(field.number, messageOf(changed));
}

/** Null where nothing is to change. */
function transposedNode(parts: readonly Field[]): readonly Field[] | null {
  const [output = ''] = textsOf(parts, node.output);
  if (output.endsWith(rowCount)) return withOutput(parts, output.replace(rowCount, tokenCount));
  if (output.endsWith(tokenCount)) return withOutput(parts, output.replace(tokenCount, rowCount));
  return output.endsWith(outputShape) ? withFirstInputsExchanged(parts) : null;
}

function withOutput(parts: readonly Field[], name: string): Field[] {
  return parts.map((part) => (part.number === node.output ? bytesField(node.output, name) : part));
}

function withFirstInputsExchanged(parts: readonly Field[]): Field[] {
  const [first = '', second = '', ...others] = textsOf(parts, node.input);
  return [
    ...[second, first, ...others].map((name) => bytesField(node.input, name)),
    ...parts.filter(({ number }) => number !== node.input),
  ];
}
