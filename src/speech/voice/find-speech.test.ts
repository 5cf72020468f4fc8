import assert from 'node:assert/strict';
import { test } from 'node:test';
import { int16Samples } from '../../timeline/pcm-samples.ts';
import { findSpeech } from './find-speech.ts';
import { type BlockActivity, blockSamplesMax, historySamples, windowSamples } from './voice-block.ts';

const seconds = (count: number): number => count * 16_000;

/** Two and a half blocks of silence with one second of noise across the first border and one in the last block. */
function recording(): Uint8Array {
  const samples = new Int16Array(Math.floor(blockSamplesMax * 2.5));
  for (const from of [blockSamplesMax - seconds(0.5), blockSamplesMax * 2 + seconds(1)]) {
    samples.fill(1000, from, from + seconds(1));
  }
  return new Uint8Array(samples.buffer);
}

async function* inPiecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** A window counts as speech when most of it is not silent. */
function activityIn(block: Uint8Array): BlockActivity {
  const samples = int16Samples(block).subarray(historySamples);
  const windows = Math.ceil(samples.length / windowSamples);
  const loudness = Float32Array.from({ length: windows }, (_, i) => {
    const window = samples.subarray(i * windowSamples, (i + 1) * windowSamples);
    return window.filter((sample) => sample !== 0).length / windowSamples;
  });
  return { loudness, probabilities: loudness.map((share) => (share > 0.5 ? 1 : 0)) };
}

test('speech is found across the borders of blocks, whatever the pieces and whichever block is answered first', async () => {
  const bytes = recording();
  const waiting: (() => void)[] = [];
  const found = await findSpeech(inPiecesOf(bytes, 99_991), {
    blocksAtOnce: 2,
    detect: async (block) => {
      // The first of each pair is answered after the second.
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      if (waiting.length === 2 || block.length < bytes.length / 4)
        for (const go of waiting.splice(0).reverse()) go();
      await promise;
      return activityIn(block);
    },
  });
  assert.equal(found.totalSamples, bytes.length / 2);
  const starts = found.spans.map(({ startSample, endSample }) => [startSample, endSample - startSample]);
  assert.equal(starts.length, 2);
  for (const [i, expected] of [blockSamplesMax - seconds(0.5), blockSamplesMax * 2 + seconds(1)].entries()) {
    const [start = 0, length = 0] = starts[i] ?? [];
    assert.ok(Math.abs(start - expected) <= windowSamples, `span ${i} starts at ${start}`);
    assert.ok(Math.abs(length - seconds(1)) <= windowSamples, `span ${i} is ${length} long`);
  }
});

test('what is found is told block by block, before the recording has ended', async () => {
  const bytes = recording();
  const firstIsHeard = Promise.withResolvers<void>();
  async function* held(): AsyncGenerator<Uint8Array> {
    yield bytes.subarray(0, blockSamplesMax * 3);
    await firstIsHeard.promise;
    yield bytes.subarray(blockSamplesMax * 3);
  }
  const told: [spans: number, totalSamples: number][] = [];
  await findSpeech(held(), {
    blocksAtOnce: 2,
    detect: async (block) => activityIn(block),
    heard: ({ spans, totalSamples }) => {
      told.push([spans.length, totalSamples]);
      firstIsHeard.resolve();
    },
  });
  // The span across the border has not ended in the first block.
  assert.deepEqual(told, [
    [0, blockSamplesMax],
    [1, 2 * blockSamplesMax],
  ]);
});

test('each block brings along the end of the one before', async () => {
  const samples = Int16Array.from({ length: blockSamplesMax + seconds(3) }, (_, i) => (i % 30_000) + 1);
  const blocks: Int16Array[] = [];
  await findSpeech(inPiecesOf(new Uint8Array(samples.buffer), 65_537), {
    blocksAtOnce: 1,
    detect: async (block) => {
      blocks.push(int16Samples(block));
      return activityIn(block);
    },
  });
  assert.deepEqual(
    blocks.map((block) => block.length - historySamples),
    [blockSamplesMax, seconds(3)],
  );
  assert.ok(blocks[0]?.subarray(0, historySamples).every((sample) => sample === 0));
  assert.deepEqual(blocks[1], samples.subarray(blockSamplesMax - historySamples));
});

test('a block that fails ends the search, and the recording is not read on', async () => {
  let isOpen = true;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield new Uint8Array(65_536);
    } finally {
      isOpen = false;
    }
  }
  const detect = async (): Promise<BlockActivity> => Promise.reject(new Error('no model'));
  await assert.rejects(findSpeech(endless(), { detect, blocksAtOnce: 2 }), /no model/);
  assert.equal(isOpen, false);
});
