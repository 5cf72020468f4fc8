/**
 * Whisper's encoder for 10 s instead of 30. It takes as much audio as it has position embeddings; attention grows with
 * the square of that, so a third of the positions costs a quarter of the time. Enough to detect the language.
 */
import { graph, model, slicedTensor, tensor } from '../onnx/onnx-fields.ts';
import { bytesField, type Field, fieldsOf, messageOf, numbersOf, textsOf } from '../onnx/protobuf-fields.ts';

const positionsName = 'embed_positions.weight';

/** 10 s of log-mel frames: as sure of English as 30 s. With 7.5 s, doubts begin. */
export const encoderFrames = 1000;
const framesPerPosition = 2;

export function tenSecondEncoder(published: Buffer): Buffer {
  const positions = encoderFrames / framesPerPosition;
  const fields = fieldsOf(published).map((field) =>
    field.number === model.graph ? bytesField(model.graph, shortenedGraph(field.bytes, positions)) : field,
  );
  return messageOf(fields);
}

function shortenedGraph(whole: Buffer, positions: number): Buffer {
  let isCut = false;
  // The shapes noted for inner values are those of 30 s; they are optional.
  const kept = fieldsOf(whole).filter((field) => field.number !== graph.shape);
  const fields = kept.map((field) => {
    if (field.number !== graph.tensor) return field;
    const parts = fieldsOf(field.bytes);
    if (textsOf(parts, tensor.name)[0] !== positionsName) return field;
    isCut = true;
    return bytesField(graph.tensor, messageOf(firstRows(parts, positions)));
  });
  if (!isCut) throw new Error('the encoder has no position embedding');
  return messageOf(fields);
}

function firstRows(parts: readonly Field[], positions: number): Field[] {
  const [, width = 0] = numbersOf(parts, tensor.dimension);
  const bytesPerValue = 4;
  return slicedTensor(parts, [positions, width], (bytes) =>
    bytes.subarray(0, positions * width * bytesPerValue),
  );
}
