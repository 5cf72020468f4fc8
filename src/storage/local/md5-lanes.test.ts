import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { blockBytes, initialState, laneCount, Md5Lanes } from './md5-lanes.ts';
import { SharedBlocks, sharedBlockBytes } from './shared-blocks.ts';

function oracle(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

async function stage() {
  const shared = new SharedBlocks();
  const blocks = await Promise.all(Array.from({ length: laneCount }, () => shared.take()));
  return { lanes: new Md5Lanes(shared.memory), blocks };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Hashes inputs of one length in as many lanes. */
function digests({ lanes, blocks }: Stage, inputs: readonly Buffer[]): string[] {
  const size = inputs[0]?.length ?? 0;
  const whole = Math.floor(size / blockBytes);
  const hashes = inputs.map((input, lane) => {
    blocks[lane]?.bytes.set(input);
    return { state: initialState(), offset: blocks[lane]?.offset ?? 0 };
  });
  lanes.update(hashes, whole);
  return inputs.map((input, lane) => {
    const tail = input.subarray(whole * blockBytes);
    return Buffer.from(lanes.finish(hashes[lane]?.state ?? initialState(), tail, size)).toString('hex');
  });
}

test('four different inputs of every length around a block have the digests of node:crypto', async () => {
  const world = await stage();
  for (const size of [...Array(260).keys(), 4095, 4096, 65_537, sharedBlockBytes]) {
    const inputs = Array.from({ length: laneCount }, () => randomBytes(size));
    assert.deepEqual(digests(world, inputs), inputs.map(oracle), `${size} bytes`);
  }
});

test('lanes may stay empty', async () => {
  const world = await stage();
  for (const count of [1, 2, 3]) {
    const inputs = Array.from({ length: count }, () => randomBytes(1000));
    assert.deepEqual(digests(world, inputs), inputs.map(oracle), `${count} inputs`);
  }
});

test('an input goes on where it stopped, beside others and after the end of another', async () => {
  const { lanes, blocks } = await stage();
  const [long, short] = [randomBytes(8 * blockBytes), randomBytes(3 * blockBytes + 5)];
  const [first, second] = [blocks[1]?.offset ?? 0, blocks[3]?.offset ?? 0];
  const [longState, shortState] = [initialState(), initialState()];
  blocks[1]?.bytes.set(long);
  blocks[3]?.bytes.set(short);
  const inputs = [
    { state: longState, offset: first },
    { state: shortState, offset: second },
  ];
  lanes.update(inputs, 3);
  const shortDigest = lanes.finish(shortState, short.subarray(3 * blockBytes), short.length);
  lanes.update([{ state: longState, offset: first + 3 * blockBytes }], 5);
  assert.equal(Buffer.from(shortDigest).toString('hex'), oracle(short));
  const longDigest = lanes.finish(longState, new Uint8Array(), long.length);
  assert.equal(Buffer.from(longDigest).toString('hex'), oracle(long));
});

test('the published examples hold', async () => {
  const world = await stage();
  for (const [text, digest] of [
    ['', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
    [
      '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
      '57edf4a22be3c955ac49da2e2107b67a',
    ],
  ] as const) {
    const inputs = Array.from({ length: laneCount }, () => Buffer.from(text));
    assert.deepEqual(new Set(digests(world, inputs)), new Set([digest]));
  }
});
