import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coefficientCount, frameCount, halvedRate, mfcc, slidingMeanRemoved } from './mfcc.ts';

const melOf = (hz: number) => 1127 * Math.log(1 + hz / 700);

/** One frame by the definition: a plain Fourier sum, triangles on the mel scale, a cosine sum, the lifter. */
function frameByDefinition(samples: Float64Array): number[] {
  const mean = samples.reduce((sum, value) => sum + value, 0) / samples.length;
  const flat = samples.map((value) => value - mean);
  const logEnergy = Math.log(flat.reduce((sum, value) => sum + value * value, 0));
  const windowed = flat.map((value, n) => {
    const emphasised = value - 0.97 * (n === 0 ? value : (flat[n - 1] ?? 0));
    return emphasised * (0.5 - 0.5 * Math.cos((2 * Math.PI * n) / (samples.length - 1))) ** 0.85;
  });
  const power = Array.from({ length: 128 }, (_, k) => {
    let real = 0;
    let imaginary = 0;
    windowed.forEach((value, n) => {
      real += value * Math.cos((2 * Math.PI * k * n) / 256);
      imaginary -= value * Math.sin((2 * Math.PI * k * n) / 256);
    });
    return real * real + imaginary * imaginary;
  });
  const step = (melOf(3700) - melOf(20)) / 24;
  const logs = Array.from({ length: 23 }, (_, bin) => {
    const centre = melOf(20) + (bin + 1) * step;
    return Math.log(
      power.reduce(
        (sum, value, k) => sum + value * Math.max(0, 1 - Math.abs(melOf(k * 31.25) - centre) / step),
        0,
      ),
    );
  });
  return Array.from({ length: 23 }, (_, row) => {
    if (row === 0) return logEnergy;
    const cosine = logs.reduce(
      (sum, value, bin) => sum + value * Math.cos((Math.PI * row * (bin + 0.5)) / 23),
      0,
    );
    return Math.sqrt(2 / 23) * cosine * (1 + 11 * Math.sin((Math.PI * row) / 22));
  });
}

function chirp(seconds: number): Float32Array {
  return Float32Array.from(
    { length: seconds * 16_000 },
    (_, index) => 0.3 * Math.sin((index / 16_000) ** 2 * 5000) + 0.01 * Math.sin(index * 1.7),
  );
}

test('every coefficient is the one that the definition gives', () => {
  const samples = chirp(0.5);
  const found = mfcc(samples);
  const halved = halvedRate(samples);
  for (const frame of [0, 10, 40]) {
    const expected = frameByDefinition(halved.slice(frame * 80, frame * 80 + 200));
    expected.forEach((value, item) => {
      const got = found[frame * coefficientCount + item] ?? 0;
      assert.ok(
        Math.abs(got - value) < 1e-3 * Math.max(1, Math.abs(value)),
        `frame ${frame}, item ${item}: ${got}, ${value}`,
      );
    });
  }
});

test('halving the rate keeps a low tone and takes off one that 8 kHz cannot hold', () => {
  const level = (hz: number) => {
    const tone = Float32Array.from({ length: 16_000 }, (_, index) =>
      Math.sin((2 * Math.PI * hz * index) / 16_000),
    );
    const middle = halvedRate(tone).slice(1000, 7000);
    return Math.sqrt(middle.reduce((sum, value) => sum + value * value, 0) / middle.length) / 32_768;
  };
  assert.ok(Math.abs(level(500) - Math.SQRT1_2) < 0.01);
  assert.ok(level(6000) < 0.01);
});

test('a frame is counted only when it is whole', () => {
  assert.equal(frameCount(399 - 1), 0);
  assert.equal(frameCount(400), 1);
  assert.equal(frameCount(16_000), 98);
  assert.equal(mfcc(new Float32Array(16_000)).length, 98 * coefficientCount);
});

test('the sliding mean leaves nothing of a constant offset, at the ends too', () => {
  const features = new Float32Array(500 * coefficientCount).fill(7);
  assert.ok(slidingMeanRemoved(features, 300).every((value) => Math.abs(value) < 1e-5));
});
