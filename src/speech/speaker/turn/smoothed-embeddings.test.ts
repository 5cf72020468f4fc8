import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dot } from '../voiceprint/embedding.ts';
import { smoothedEmbeddings } from './smoothed-embeddings.ts';

const window = (startSample: number, x: number, y: number) => {
  const norm = Math.hypot(x, y);
  return { startSample, endSample: startSample + 24_000, embedding: Float32Array.of(x / norm, y / norm) };
};

test('windows of one voice that touch each other become more alike', () => {
  const windows = [window(0, 1, 0.5), window(12_000, 1, -0.5)];
  const [one, other] = smoothedEmbeddings(windows);
  const [before, after] = windows;
  assert.ok(one && other && before && after);
  assert.ok(dot(one, other) > dot(before.embedding, after.embedding) + 0.1);
  assert.ok(Math.abs(dot(one, one) - 1) < 1e-6);
});

test('neither a neighbour with another voice nor one beyond a pause changes a window', () => {
  for (const windows of [
    [window(0, 1, 0), window(12_000, 0, 1)],
    [window(0, 1, 0), window(40_000, 1, 1)],
  ]) {
    assert.deepEqual(
      smoothedEmbeddings(windows),
      windows.map(({ embedding }) => embedding),
    );
  }
});
