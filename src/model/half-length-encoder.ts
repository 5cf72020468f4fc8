/**
 * Whisper's encoder for less than 30 s. It takes as much sound as it has positions for; the attention grows with the
 * square of that, so a third of the positions cost a quarter of the time. Enough to tell languages apart, not to write.
 */
import { cutTensor, graph, model, tensor } from '../onnx/onnx-fields.ts';
import { bytesField, type Field, fieldsOf, messageOf, numbersOf, textsOf } from '../onnx/protobuf-fields.ts';

const positionsName = 'embed_positions.weight';

/** 10 s: as sure of English as 30 s, in a quarter of the time. With 7.5 s, doubts begin. */
export const shortWindowFrames = 1000;
const framesPerPosition = 2;

export function halfLengthEncoder(published: Buffer): Buffer {
  const positions = shortWindowFrames / framesPerPosition;
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
  return cutTensor(parts, [positions, width], (bytes) =>
    bytes.subarray(0, positions * width * bytesPerValue),
  );
}
