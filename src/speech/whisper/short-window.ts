/**
 * Whisper's encoder for less than 30 s. It takes as much sound as it has positions for; the attention grows with the
 * square of that, so half of the positions cost a third of the time. Enough to tell languages apart, not to write.
 */
import { graph, model, tensor } from '../onnx-fields.ts';
import {
  bytesField,
  type Field,
  fieldsOf,
  messageOf,
  numberField,
  numbersOf,
  textsOf,
} from '../protobuf-fields.ts';

const positionsName = 'embed_positions.weight';

export function shortWindowEncoder(published: Buffer, positions: number): Buffer {
  const fields = fieldsOf(published).map((field) =>
    field.number === model.graph ? bytesField(model.graph, shortGraph(field.bytes, positions)) : field,
  );
  return messageOf(fields);
}

function shortGraph(whole: Buffer, positions: number): Buffer {
  let isCut = false;
  // What is noted of shapes inside speaks of the whole window; it is only a note.
  const kept = fieldsOf(whole).filter((field) => field.number !== graph.shape);
  const fields = kept.map((field) => {
    if (field.number !== graph.tensor) return field;
    const parts = fieldsOf(field.bytes);
    if (textsOf(parts, tensor.name)[0] !== positionsName) return field;
    isCut = true;
    return bytesField(graph.tensor, messageOf(cutTable(parts, positions)));
  });
  if (!isCut) throw new Error('the encoder has no table of positions');
  return messageOf(fields);
}

function cutTable(parts: readonly Field[], positions: number): Field[] {
  const [, width = 0] = numbersOf(parts, tensor.dimension);
  const bytesPerValue = 4;
  return [
    numberField(tensor.dimension, positions),
    numberField(tensor.dimension, width),
    ...parts
      .filter((part) => part.number !== tensor.dimension)
      .map((part) =>
        part.number === tensor.bytes
          ? bytesField(tensor.bytes, part.bytes.subarray(0, positions * width * bytesPerValue))
          : part,
      ),
  ];
}
