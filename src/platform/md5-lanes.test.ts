import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { blockBytes, laneBytes, laneCount, Md5Lanes } from './md5-lanes.ts';

function oracle(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** Hashes inputs of one length in all lanes. */
function digests(lanes: Md5Lanes, inputs: readonly Buffer[]): string[] {
  const size = inputs[0]?.length ?? 0;
  const blocks = Math.floor(size / blockBytes);
  for (const [lane, input] of inputs.entries()) {
    lanes.reset(lane);
    lanes.buffer(lane).set(input);
  }
  lanes.update([0, 0, 0, 0], blocks);
  return inputs.map((input, lane) =>
    Buffer.from(lanes.finish(lane, input.subarray(blocks * blockBytes), size)).toString('hex'),
  );
}

test('four different inputs of every length around a block have the digests of node:crypto', () => {
  const lanes = new Md5Lanes();
  for (const size of [...Array(260).keys(), 4095, 4096, 65_537, laneBytes]) {
    const inputs = Array.from({ length: laneCount }, () => randomBytes(size));
    assert.deepEqual(digests(lanes, inputs), inputs.map(oracle), `${size} bytes`);
  }
});

test('a lane that ends and begins anew leaves the others alone', () => {
  const lanes = new Md5Lanes();
  const long = randomBytes(8 * blockBytes);
  const short = randomBytes(3 * blockBytes + 5);
  for (const lane of [1, 3]) lanes.reset(lane);
  lanes.buffer(1).set(long);
  lanes.buffer(3).set(short);
  lanes.update([0, 0, 0, 0], 3);
  const shortDigest = lanes.finish(3, short.subarray(3 * blockBytes), short.length);
  lanes.reset(3);
  lanes.update([0, 3 * blockBytes, 0, 0], 5);
  assert.equal(Buffer.from(shortDigest).toString('hex'), oracle(short));
  assert.equal(Buffer.from(lanes.finish(1, new Uint8Array(), long.length)).toString('hex'), oracle(long));
});

test('the published examples hold', () => {
  const lanes = new Md5Lanes();
  for (const [text, digest] of [
    ['', 'd41d8cd98f00b204e9800998ecf8427e'],
    ['message digest', 'f96b697d7cb7938d525a2f31aaf161d0'],
    [
      '12345678901234567890123456789012345678901234567890123456789012345678901234567890',
      '57edf4a22be3c955ac49da2e2107b67a',
    ],
  ] as const) {
    const inputs = Array.from({ length: laneCount }, () => Buffer.from(text));
    assert.deepEqual(new Set(digests(lanes, inputs)), new Set([digest]));
  }
});
