import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FourierTransform } from './fourier-transform.ts';

function powerByDefinition(signal: Float64Array, bin: number): number {
  const size = signal.length;
  let real = 0;
  let imaginary = 0;
  for (const [i, value] of signal.entries()) {
    real += value * Math.cos((2 * Math.PI * bin * i) / size);
    imaginary -= value * Math.sin((2 * Math.PI * bin * i) / size);
  }
  return real * real + imaginary * imaginary;
}

for (const size of [400, 256, 30]) {
  test(`two signals of ${size} points have the power spectra that the definition gives`, () => {
    const first = Float64Array.from({ length: size }, (_, i) => Math.sin(i * 0.37) + 0.2 * Math.cos(i * 1.9));
    const second = Float64Array.from({ length: size }, (_, i) => ((i * 7919) % 101) / 101 - 0.5);
    const powers = new FourierTransform(size).powerSpectra(first, second);
    for (let bin = 0; bin <= size / 2; bin++) {
      assert.ok(
        Math.abs((powers.first[bin] ?? 0) - powerByDefinition(first, bin)) < 1e-6,
        `first, bin ${bin}`,
      );
      assert.ok(
        Math.abs((powers.second[bin] ?? 0) - powerByDefinition(second, bin)) < 1e-6,
        `second, bin ${bin}`,
      );
    }
  });
}

test('a length with other prime factors is refused', () => {
  assert.throws(() => new FourierTransform(7), /no transform of 7 points/);
});
