/** The weights of an ONNX file whose matrices were quantised to 8 bit, as plain numbers under the names of their layers. */
import { readFileSync } from 'node:fs';
import { fieldsOf } from '../../src/onnx/protobuf-fields.ts';

export interface OnnxTensor {
  shape: number[];
  values: Float32Array;
}

interface Initializer {
  shape: number[];
  type: number;
  bytes: Buffer;
}

const float = 1;
const signedByte = 3;

/** `prefix` stands before every name and is taken away. Matrices of linear layers come back as [outputs, inputs]. */
export function onnxTensors(file: string, prefix: string): Map<string, OnnxTensor> {
  const initializers = new Map<string, Initializer>();
  const matrixNames = new Map<string, string>();
  for (const [field, graph] of fields(readFileSync(file)))
    if (field === 7) readGraph(graph as Buffer, initializers, matrixNames);
  const tensors = new Map<string, OnnxTensor>();
  for (const [name, initializer] of initializers) {
    const own = name.replace('_merged_0', '');
    if (own.startsWith(prefix) && /\.(weight|bias)$/.test(own) && initializer.type === float)
      tensors.set(own.slice(prefix.length), { shape: initializer.shape, values: floatsOf(initializer) });
    // A decoder that was rewritten at installation holds the token embedding a second time, transposed.
    if (!name.endsWith('_quantized') || name.endsWith('_transposed_quantized')) continue;
    const base = name.slice(0, -'_quantized'.length);
    const layer = matrixNames.get(name) ?? own.slice(0, -'_quantized'.length);
    if (!layer.startsWith(prefix) || layer.includes('proj_out')) continue;
    const tensor = dequantised(
      initializer,
      initializers.get(`${base}_scale`),
      initializers.get(`${base}_zero_point`),
    );
    tensors.set(layer.slice(prefix.length), matrixNames.has(name) ? transposed(tensor) : tensor);
  }
  return tensors;
}

function readGraph(
  graph: Buffer,
  initializers: Map<string, Initializer>,
  matrixNames: Map<string, string>,
): void {
  for (const [field, value] of fields(graph)) {
    if (field === 5) readInitializer(value as Buffer, initializers);
    if (field === 1) readNode(value as Buffer, initializers, matrixNames);
  }
}

/** `/layers.0/fc1/MatMul_quant` reads a nameless matrix; it is called `layers.0.fc1.weight` here. */
function readNode(
  node: Buffer,
  initializers: Map<string, Initializer>,
  matrixNames: Map<string, string>,
): void {
  const inputs: string[] = [];
  let name = '';
  let operation = '';
  for (const [field, value] of fields(node)) {
    if (field === 1) inputs.push(String(value));
    if (field === 3) name = String(value);
    if (field === 4) operation = String(value);
    if (field !== 5) continue;
    for (const [inner, graph] of fields(value as Buffer))
      if (inner === 6) readGraph(graph as Buffer, initializers, matrixNames);
  }
  if (operation !== 'MatMulInteger' || inputs[1] === undefined) return;
  matrixNames.set(
    inputs[1],
    `${name
      .replace(/^\//, '')
      .replace(/\/MatMul_quant$/, '')
      .replaceAll('/', '.')}.weight`,
  );
}

function readInitializer(tensor: Buffer, initializers: Map<string, Initializer>): void {
  const shape: number[] = [];
  let [name, type, bytes] = ['', 0, Buffer.alloc(0)];
  for (const [field, value] of fields(tensor)) {
    if (field === 1) shape.push(...(typeof value === 'number' ? [value] : integers(value)));
    if (field === 2) type = Number(value);
    if (field === 4) bytes = value as Buffer<ArrayBuffer>;
    if (field === 5) bytes = Buffer.from(typeof value === 'number' ? [value] : integers(value));
    if (field === 8) name = String(value);
    if (field === 9) bytes = value as Buffer<ArrayBuffer>;
  }
  initializers.set(name, { shape, type, bytes });
}

function floatsOf({ bytes }: Initializer): Float32Array {
  return new Float32Array(Uint8Array.from(bytes).buffer);
}

function dequantised(
  { shape, type, bytes }: Initializer,
  scale: Initializer | undefined,
  zeroPoint: Initializer | undefined,
): OnnxTensor {
  if (!scale || !zeroPoint) throw new Error('a quantised weight comes without its scale');
  const scales = floatsOf(scale);
  const numbers = (raw: Buffer) =>
    type === signedByte ? new Int8Array(raw.buffer, raw.byteOffset, raw.length) : raw;
  const weights = numbers(bytes);
  const zeros = numbers(zeroPoint.bytes);
  const columns = shape.at(-1) ?? 1;
  const values = new Float32Array(weights.length);
  for (let i = 0; i < weights.length; i++) {
    const column = scales.length > 1 ? i % columns : 0;
    values[i] = ((weights[i] ?? 0) - (zeros[column] ?? 0)) * (scales[column] ?? 0);
  }
  return { shape, values };
}

function transposed({ shape, values }: OnnxTensor): OnnxTensor {
  const [rows = 0, columns = 0] = shape;
  const transposed = new Float32Array(values.length);
  for (let row = 0; row < rows; row++)
    for (let column = 0; column < columns; column++)
      transposed[column * rows + row] = values[row * columns + column] ?? 0;
  return { shape: [columns, rows], values: transposed };
}

function integers(packed: Buffer): number[] {
  const numbers: number[] = [];
  for (let at = 0; at < packed.length; ) {
    const { value, next } = integer(packed, at);
    numbers.push(value);
    at = next;
  }
  return numbers;
}

function integer(bytes: Buffer, from: number): { value: number; next: number } {
  let [value, factor, at] = [0, 1, from];
  for (;;) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 127) * factor;
    if (byte < 128) return { value, next: at };
    factor *= 128;
  }
}

/** The number of a field, then an integer or bytes. */
function* fields(message: Buffer): Generator<[field: number, value: number | Buffer]> {
  for (const { number, wireType, bytes } of fieldsOf(message))
    yield [number, wireType === 0 ? integer(bytes, 0).value : bytes];
}
