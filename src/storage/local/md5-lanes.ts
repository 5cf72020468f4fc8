import type { SharedMemory } from './shared-blocks.ts';

/**
 * MD5 of four inputs at once. MD5 is a chain of dependent steps that leaves most of a processor idle: one input runs
 * at 0.55 GB/s, four side by side in the lanes of a vector register at 1.6 GB/s in all. The code of the 64 steps is
 * written as WebAssembly when the module is loaded; node:crypto is the test's oracle.
 */
declare const WebAssembly: {
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: { run: Run } };
};

type Run = (lane0: number, lane1: number, lane2: number, lane3: number, blocks: number) => void;

export interface Md5Input {
  /** The four words that a hash carries from block to block. */
  state: Uint32Array;
  /** Where the next bytes are in the memory. */
  offset: number;
}

export const laneCount = 4;
export const blockBytes = 64;

const stateBytes = 64;
const scratchOffset = stateBytes;
const pageBytes = 65_536;

const rotations = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
];

export function initialState(): Uint32Array {
  return Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476);
}

/** Reads its inputs where they are in a shared memory; the first 192 bytes of that memory are its own. */
export class Md5Lanes {
  readonly #memory: Uint8Array;
  readonly #state: DataView;
  readonly #run: Run;

  constructor(memory: SharedMemory) {
    const module = new WebAssembly.Module(md5Module(memory.buffer.byteLength / pageBytes));
    this.#run = new WebAssembly.Instance(module, { shared: { memory } }).exports.run;
    this.#memory = new Uint8Array(memory.buffer);
    this.#state = new DataView(memory.buffer, 0, stateBytes);
  }

  /** Hashes as many blocks of each input: one to four of them take the same time. */
  update(inputs: readonly Md5Input[], blocks: number): void {
    if (blocks === 0 || inputs.length === 0) return;
    for (const [lane, { state }] of inputs.entries()) {
      for (const [word, value] of state.entries()) this.#state.setUint32(word * 16 + lane * 4, value, true);
    }
    // Lanes out of use run over the first input and are forgotten.
    const [lane0 = 0, lane1 = lane0, lane2 = lane0, lane3 = lane0] = inputs.map(({ offset }) => offset);
    this.#run(lane0, lane1, lane2, lane3, blocks);
    for (const [lane, { state }] of inputs.entries()) {
      for (let word = 0; word < 4; word += 1) state[word] = this.#state.getUint32(word * 16 + lane * 4, true);
    }
  }

  /** The digest after the last bytes, fewer than a block. */
  finish(state: Uint32Array, tail: Uint8Array, totalBytes: number): Uint8Array {
    const blocks = tail.length < blockBytes - 8 ? 1 : 2;
    const scratch = this.#memory.subarray(scratchOffset, scratchOffset + blocks * blockBytes);
    scratch.fill(0);
    scratch.set(tail);
    scratch[tail.length] = 0x80;
    const end = new DataView(scratch.buffer, scratch.byteOffset + scratch.length - 8, 8);
    end.setBigUint64(0, BigInt(totalBytes) * 8n, true);
    this.update([{ state, offset: scratchOffset }], blocks);
    const digest = new DataView(new ArrayBuffer(16));
    for (const [word, value] of state.entries()) digest.setUint32(word * 4, value, true);
    return new Uint8Array(digest.buffer);
  }
}

/** Instructions of WebAssembly that are used here. */
const op = {
  loop: [0x03, 0x40],
  branchIf: (depth: number) => [0x0d, depth],
  end: [0x0b],
  get: (local: number) => [0x20, local],
  set: (local: number) => [0x21, local],
  tee: (local: number) => [0x22, local],
  constant: (value: number) => [0x41, ...signed(value)],
  add: [0x6a],
  subtract: [0x6b],
  load: (offset: number, alignment = 4) => [0xfd, 0x00, alignment, ...unsigned(offset)],
  store: (offset: number) => [0xfd, 0x0b, 4, ...unsigned(offset)],
  /** Four-byte lanes of two vectors: 0 to 3 are the first one's, 4 to 7 the second one's. */
  shuffle: (...lanes: number[]) => [
    0xfd,
    0x0d,
    ...lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => lane * 4 + byte)),
  ],
  constants: (word: number) => [0xfd, 0x0c, ...Array.from({ length: 4 }, () => littleEndian(word)).flat()],
  not: [0xfd, 0x4d],
  and: [0xfd, 0x4e],
  andNot: [0xfd, 0x4f],
  or: [0xfd, 0x50],
  xor: [0xfd, 0x51],
  select: [0xfd, 0x52],
  addLanes: [0xfd, 0xae, 0x01],
  shiftLeft: [0xfd, 0xab, 0x01],
  shiftRight: [0xfd, 0xad, 0x01],
};

/** Locals: 0 to 3 where the lanes are read, 4 the blocks left, then vectors: a, b, c, d, one spare, 16 words. */
const pointers = [0, 1, 2, 3];
const blocksLeft = 4;
const registers = [5, 6, 7, 8] as const;
const spare = 9;
const firstWord = 10;
const vectorLocals = 4 + 1 + 16;

function runBody(): number[] {
  const words = [0, 4, 8, 12].map(fourWords);
  const loadState = registers.map((local, index) => [
    ...op.constant(0),
    ...op.load(index * 16),
    ...op.set(local),
  ]);
  const addState = registers.map((local, index) => [
    ...op.constant(0),
    ...op.constant(0),
    ...op.load(index * 16),
    ...op.get(local),
    ...op.addLanes,
    ...op.store(index * 16),
  ]);
  const advance = pointers.map((local) => [
    ...op.get(local),
    ...op.constant(blockBytes),
    ...op.add,
    ...op.set(local),
  ]);
  const steps = Array.from({ length: 64 }, (_, index) => step(index));
  return [
    ...op.loop,
    ...[...words, ...loadState, ...steps, ...addState, ...advance].flat(),
    ...op.get(blocksLeft),
    ...op.constant(1),
    ...op.subtract,
    ...op.tee(blocksLeft),
    ...op.branchIf(0),
    ...op.end,
  ];
}

/** Sixteen bytes of each lane, turned from four words of one lane into one word of four lanes. */
function fourWords(first: number): number[] {
  const rows = [0, 1, 2, 3].map((row) => firstWord + first + row) as [number, number, number, number];
  const load = rows.map((local, lane) => [...op.get(lane), ...op.load(first * 4, 0), ...op.set(local)]);
  const both = (one: number, other: number) => [...op.get(one), ...op.get(other)];
  const [low, high] = [op.shuffle(0, 4, 1, 5), op.shuffle(2, 6, 3, 7)];
  const [lowPair, highPair] = [op.shuffle(0, 1, 4, 5), op.shuffle(2, 3, 6, 7)];
  const [r0, r1, r2, r3] = rows;
  return [
    ...load.flat(),
    ...[...both(r0, r1), ...high, ...both(r0, r1), ...low, ...op.set(r0), ...op.set(r1)],
    ...[...both(r2, r3), ...high, ...both(r2, r3), ...low, ...op.set(r2), ...op.set(r3)],
    // Now r0 and r2 hold words 0 and 1 of two lanes each, r1 and r3 words 2 and 3.
    ...[...both(r1, r3), ...highPair, ...both(r1, r3), ...lowPair],
    ...[...both(r0, r2), ...highPair, ...both(r0, r2), ...lowPair],
    ...rows.flatMap((local) => op.set(local)),
  ];
}

/** One of the 64 steps of RFC 1321; the four registers change their parts from step to step. */
function step(index: number): number[] {
  const part = (position: number) => registers[(position + 64 - index) % 4] ?? 0;
  const [a, b, c, d] = [part(0), part(1), part(2), part(3)];
  const round = index >> 4;
  const mixed = [
    [...op.get(c), ...op.get(d), ...op.get(b), ...op.select],
    [...op.get(c), ...op.get(d), ...op.andNot, ...op.addLanes, ...op.get(b), ...op.get(d), ...op.and],
    [...op.get(c), ...op.get(d), ...op.xor, ...op.get(b), ...op.xor],
    [...op.get(b), ...op.get(d), ...op.not, ...op.or, ...op.get(c), ...op.xor],
  ][round];
  const messageWord = [index, 5 * index + 1, 3 * index + 5, 7 * index][round] ?? 0;
  const rotation = rotations[round]?.[index % 4] ?? 0;
  const sine = Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32);
  return [
    ...op.get(a),
    ...op.get(firstWord + (messageWord % 16)),
    ...op.addLanes,
    ...op.constants(sine),
    ...op.addLanes,
    ...(mixed ?? []),
    ...op.addLanes,
    ...op.tee(spare),
    ...op.constant(rotation),
    ...op.shiftLeft,
    ...op.get(spare),
    ...op.constant(32 - rotation),
    ...op.shiftRight,
    ...op.or,
    ...op.get(b),
    ...op.addLanes,
    ...op.set(a),
  ];
}

function md5Module(pages: number): Uint8Array<ArrayBuffer> {
  const sharedWithMaximum = 0x03;
  const memory = [2, sharedWithMaximum, ...unsigned(pages), ...unsigned(pages)];
  const [i32, v128, func] = [0x7f, 0x7b, 0x60];
  const body = [1, ...unsigned(vectorLocals), v128, ...runBody(), ...op.end];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [1, func, 5, i32, i32, i32, i32, i32, 0]),
    ...section(2, [1, ...text('shared'), ...text('memory'), ...memory]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text('run'), 0, 0]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ]);
}

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content];
}

function text(name: string): number[] {
  return [name.length, ...Buffer.from(name)];
}

/** LEB128. */
function unsigned(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): number[] {
  const isLast = value >= -64 && value < 64;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}

function littleEndian(word: number): number[] {
  return [word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24];
}
