import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { coefficientCount, mfcc, slidingMeanRemoved } from '../../src/speech/speaker/voiceprint/mfcc.ts';
import { openXVectorEmbedder } from '../../src/speech/speaker/voiceprint/x-vector-embedder.ts';
import { embeddingByLoops, smallXVector, writeSmallXVector } from '../support/small-x-vector.ts';

async function directoryFor(context: TestContext): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-x-vector-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Three tones that come and go. */
function tones(seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * 16_000 }, (_, index) => {
    const time = index / 16_000;
    return (
      0.2 * Math.sin(2 * Math.PI * 220 * time) * Math.sin(7 * time) +
      0.1 * Math.sin(2 * Math.PI * (900 + 300 * time) * time)
    );
  });
}

function rows(features: Float32Array): number[][] {
  return Array.from({ length: features.length / coefficientCount }, (_, frame) =>
    Array.from(features.subarray(frame * coefficientCount, (frame + 1) * coefficientCount)),
  );
}

test('the converted network gives the embeddings that plain loops over the original weights give', async (context) => {
  const directory = await directoryFor(context);
  const network = smallXVector(3);
  await writeSmallXVector(network, directory);
  const embedder = await openXVectorEmbedder(directory);
  const samples = tones(4);
  const windows = [
    { startSample: 0, endSample: 24_000 },
    { startSample: 12_000, endSample: 36_000 },
    { startSample: 48_000, endSample: 64_000 },
  ];
  const found = await embedder.embed(samples, windows);
  const features = rows(slidingMeanRemoved(mfcc(samples), 300));
  // Loops see the repeated first and last frame as frames of their own, so that every layer pads alike.
  const first = features[0] ?? [];
  const last = features.at(-1) ?? [];
  const padded = [
    ...Array.from({ length: 7 }, () => first),
    ...features,
    ...Array.from({ length: 7 }, () => last),
  ];
  windows.forEach((window, index) => {
    const from = Math.round(window.startSample / 160);
    const to = Math.min(Math.round(window.endSample / 160), features.length);
    const expected = embeddingByLoops(network, padded, from + 7, to + 7);
    const cosine = expected.reduce((sum, value, item) => sum + value * (found[index]?.[item] ?? 0), 0);
    assert.ok(cosine > 0.99999, `window ${index}: cosine ${cosine}`);
  });
});

test('the conversion is made once and kept', async (context) => {
  const directory = await directoryFor(context);
  await writeSmallXVector(smallXVector(4), directory);
  await openXVectorEmbedder(directory);
  await writeFile(join(directory, 'final.ext.raw'), 'no longer a network');
  await openXVectorEmbedder(directory);
  assert.equal((await readdir(directory)).filter((name) => name.endsWith('.onnx')).length, 1);
});

test('a file that is not a Kaldi network is refused with a reason', async (context) => {
  const directory = await directoryFor(context);
  await writeSmallXVector(smallXVector(5), directory);
  await writeFile(join(directory, 'final.ext.raw'), Buffer.from('\0B<Nnet3> \n\n<NumComponents> '));
  await assert.rejects(openXVectorEmbedder(directory), /Kaldi|out of range/);
});

test('audio too short for one frame has no embeddings', async (context) => {
  const directory = await directoryFor(context);
  await writeSmallXVector(smallXVector(6), directory);
  const embedder = await openXVectorEmbedder(directory);
  assert.deepEqual(await embedder.embed(new Float32Array(200), [{ startSample: 0, endSample: 200 }]), []);
});
