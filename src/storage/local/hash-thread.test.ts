import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { HashThread } from './hash-thread.ts';
import { sharedBlockBytes } from './shared-blocks.ts';

function startThread(t: TestContext): HashThread {
  const hashThread = new HashThread();
  t.after(() => hashThread.close());
  return hashThread;
}

function oracle(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex');
}

/** As an upload does it: a block is given back as soon as it has been read. */
async function md5(hashThread: HashThread, bytes: Buffer, pieceBytes = sharedBlockBytes): Promise<string> {
  const stream = hashThread.begin();
  const read: Promise<void>[] = [];
  for (let start = 0; start < bytes.length; start += pieceBytes) {
    const block = await hashThread.blocks.take();
    const length = bytes.copy(block.bytes, 0, start, start + pieceBytes);
    read.push(stream.append(block, length).finally(() => hashThread.blocks.give(block)));
  }
  const digest = await stream.digest();
  await Promise.all(read);
  return digest.toString('hex');
}

test('streams of all sizes, more than there are blocks and lanes, have the digests of node:crypto', async (t) => {
  const hashThread = startThread(t);
  const sizes = [0, 1, 63, 64, 65, 1000, 262_144, 262_145, 1_048_575, 1_048_576, 1_048_577, 3_333_333];
  const inputs = [...sizes, ...sizes.toReversed()].map((size) => randomBytes(size));
  const digests = await Promise.all(inputs.map((bytes) => md5(hashThread, bytes)));
  assert.deepEqual(digests, inputs.map(oracle));
});

test('pieces of any multiple of 64 make one stream', async (t) => {
  const hashThread = startThread(t);
  const bytes = randomBytes(20_000);
  for (const pieceBytes of [64, 192, 4096])
    assert.equal(await md5(hashThread, bytes, pieceBytes), oracle(bytes));
});

test('a stream that stops sending does not hold up the others', async (t) => {
  const hashThread = startThread(t);
  const stalled = hashThread.begin();
  const block = await hashThread.blocks.take();
  block.bytes.fill(1);
  const read = stalled.append(block, sharedBlockBytes);
  const bytes = randomBytes(5_000_000);
  assert.equal(await md5(hashThread, bytes), oracle(bytes));
  const digest = await stalled.digest();
  await read;
  assert.equal(digest.toString('hex'), oracle(Buffer.alloc(sharedBlockBytes, 1)));
});

test('bytes after a piece that is no multiple of 64 are refused', async (t) => {
  const hashThread = startThread(t);
  const stream = hashThread.begin();
  const block = await hashThread.blocks.take();
  await stream.append(block, 65);
  await assert.rejects(stream.append(block, 64), /multiple of 64/);
});

test('when the thread ends, its streams fail and a new one takes over', async (t) => {
  const hashThread = startThread(t);
  const stream = hashThread.begin();
  const digest = assert.rejects(stream.digest(), /ended/);
  await hashThread.close();
  await digest;
  await assert.rejects(stream.digest(), /ended/);
  assert.equal(await md5(hashThread, Buffer.from('abc')), '900150983cd24fb0d6963f7d28e17f72');
});
