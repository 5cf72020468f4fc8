/** Reads the three kinds of Kaldi files that a speaker network comes in: an nnet3 network, a matrix, a vector. */

export interface KaldiMatrix {
  rows: number;
  columns: number;
  /** Row by row. */
  values: Float32Array;
}

type FieldValue = KaldiMatrix | Float32Array | DataView | boolean;

export interface KaldiComponent {
  type: string;
  fields: ReadonlyMap<string, FieldValue>;
}

export interface KaldiNetwork {
  /** The text before the components: one line per node. */
  nodes: readonly string[];
  components: ReadonlyMap<string, KaldiComponent>;
}

const valuesMax = 64 * 1024 * 1024;

/** Walks through Kaldi's binary form: tokens end with a space, numbers carry their size in one byte. */
class KaldiReader {
  readonly #bytes: Buffer;
  #offset = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  expect(text: string): void {
    const found = this.#bytes.toString('latin1', this.#offset, this.#offset + text.length);
    if (found !== text) throw new Error(`not a Kaldi file: expected ${JSON.stringify(text)}`);
    this.#offset += text.length;
  }

  startsWith(text: string): boolean {
    return this.#bytes.toString('latin1', this.#offset, this.#offset + text.length) === text;
  }

  /** Up to the next space, which is read too. */
  token(): string {
    const end = this.#bytes.indexOf(0x20, this.#offset);
    if (end < 0 || end - this.#offset > 200) throw new Error('not a Kaldi file: a token has no end');
    const token = this.#bytes.toString('latin1', this.#offset, end);
    this.#offset = end + 1;
    return token;
  }

  textUntil(mark: string): string {
    const end = this.#bytes.indexOf(mark, this.#offset, 'latin1');
    if (end < 0) throw new Error(`not a Kaldi file: no ${mark}`);
    const text = this.#bytes.toString('latin1', this.#offset, end);
    this.#offset = end;
    return text;
  }

  #sizedInteger(): number {
    const size = this.#bytes.readInt8(this.#offset);
    if (size !== 4) throw new Error(`not a Kaldi file: an integer of ${size} bytes`);
    const value = this.#bytes.readInt32LE(this.#offset + 1);
    this.#offset += 5;
    if (value < 0) throw new Error('not a Kaldi file: a negative size');
    return value;
  }

  integer(): number {
    return this.#sizedInteger();
  }

  #floats(count: number): Float32Array {
    if (count > valuesMax || this.#offset + count * 4 > this.#bytes.length) {
      throw new Error('not a Kaldi file: it ends too early');
    }
    const values = new Float32Array(count);
    for (let index = 0; index < count; index += 1) {
      values[index] = this.#bytes.readFloatLE(this.#offset + index * 4);
    }
    this.#offset += count * 4;
    return values;
  }

  matrix(): KaldiMatrix {
    this.expect('FM ');
    const rows = this.#sizedInteger();
    const columns = this.#sizedInteger();
    return { rows, columns, values: this.#floats(rows * columns) };
  }

  vector(): Float32Array {
    this.expect('FV ');
    return this.#floats(this.#sizedInteger());
  }

  /** The value after a field's name; undefined where another token follows at once. */
  value(): FieldValue | undefined {
    if (this.startsWith('<')) return undefined;
    if (this.startsWith('FM ')) return this.matrix();
    if (this.startsWith('FV ')) return this.vector();
    const first = this.#bytes[this.#offset];
    if (first === 0x54 || first === 0x46) {
      this.#offset += 1;
      return first === 0x54;
    }
    if (first !== 4 && first !== 8) throw new Error('not a Kaldi file: an unknown kind of value');
    const copy = Uint8Array.from(this.#bytes.subarray(this.#offset + 1, this.#offset + 1 + first));
    this.#offset += 1 + first;
    return new DataView(copy.buffer);
  }
}

function component(reader: KaldiReader): KaldiComponent {
  const type = reader.token();
  const fields = new Map<string, FieldValue>();
  const end = type.replace('<', '</');
  for (let name = reader.token(); name !== end; name = reader.token()) {
    const value = reader.value();
    if (value !== undefined) fields.set(name.slice(1, -1), value);
  }
  return { type: type.slice(1, -1), fields };
}

export function kaldiNetwork(bytes: Buffer): KaldiNetwork {
  const reader = new KaldiReader(bytes);
  reader.expect('\0B<Nnet3> ');
  const nodes = reader.textUntil('<NumComponents>').split('\n').filter(Boolean);
  reader.expect('<NumComponents> ');
  const count = reader.integer();
  const components = new Map<string, KaldiComponent>();
  for (let index = 0; index < count; index += 1) {
    reader.expect('<ComponentName> ');
    const name = reader.token();
    components.set(name, component(reader));
  }
  reader.expect('</Nnet3> ');
  return { nodes, components };
}

export function kaldiMatrix(bytes: Buffer): KaldiMatrix {
  const reader = new KaldiReader(bytes);
  reader.expect('\0B');
  return reader.matrix();
}

/** A vector in Kaldi's text form: ` [ 1.5 2 … ]`. */
export function kaldiTextVector(text: string): Float32Array {
  const inside = /^\s*\[([^\]]*)\]\s*$/.exec(text)?.[1];
  const values = inside?.trim().split(/\s+/).map(Number) ?? [];
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) {
    throw new Error('not a Kaldi text vector');
  }
  return Float32Array.from(values);
}

export function matrixField(part: KaldiComponent, name: string): KaldiMatrix {
  const value = part.fields.get(name);
  if (typeof value === 'object' && 'rows' in value) return value;
  throw new Error(`the component has no matrix ${name}`);
}

export function vectorField(part: KaldiComponent, name: string): Float32Array {
  const value = part.fields.get(name);
  if (value instanceof Float32Array) return value;
  throw new Error(`the component has no vector ${name}`);
}

export function floatField(part: KaldiComponent, name: string): number {
  const value = part.fields.get(name);
  if (value instanceof DataView && value.byteLength === 4) return value.getFloat32(0, true);
  throw new Error(`the component has no number ${name}`);
}
