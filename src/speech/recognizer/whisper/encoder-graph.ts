/** Whisper's published encoder, changed to take less memory and less time. Decision 0170 has the figures. */
import { type GraphEdit, integers, operation } from '../../../onnx/edited-graph.ts';
import { floatConvolutions } from '../../../onnx/float-convolutions.ts';
import { graph, node, value } from '../../../onnx/onnx-fields.ts';
import { type Field, fieldsOf, textsOf } from '../../../onnx/protobuf-fields.ts';

export const encoderOutput = 'last_hidden_state';
const positions = 'embed_positions.weight';

export const encoderEdits: readonly GraphEdit[] = [floatConvolutions, withOneOutput, withWindowOfAnyLength];

/**
 * The published encoder also gives the attention of every layer. Even where nobody asks for it, an output is kept until
 * the run ends: 1.3 GB for Whisper small.
 */
function withOneOutput(fields: readonly Field[]): Field[] {
  return fields.filter(
    ({ number, bytes }) =>
      number !== graph.output || textsOf(fieldsOf(bytes), value.name)[0] === encoderOutput,
  );
}

/** Position embeddings for 30 s are added to the audio; here, for as much of it as there is. */
function withWindowOfAnyLength(fields: readonly Field[]): Field[] {
  const edited = fields.flatMap((field) => {
    if (field.number !== graph.node) return [field];
    const parts = fieldsOf(field.bytes);
    const inputs = textsOf(parts, node.input);
    if (!inputs.includes(positions)) return [field];
    const [audio = ''] = inputs.filter((name) => name !== positions);
    const [output = ''] = textsOf(parts, node.output);
    return [
      integers('window.0', 0),
      integers('window.1', 1),
      integers('window.2', 2),
      operation('Shape', [audio], 'window.shape'),
      operation('Slice', ['window.shape', 'window.1', 'window.2'], 'window.length'),
      operation('Slice', [positions, 'window.0', 'window.length', 'window.0'], 'window.positions'),
      operation('Add', [audio, 'window.positions'], output),
    ];
  });
  if (edited.length === fields.length) throw new Error('the encoder has no position embedding');
  // The shapes noted for inner values are those of 30 s; they are optional.
  return edited.filter(({ number }) => number !== graph.shape);
}
