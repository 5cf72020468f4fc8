import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FourierTransform } from './fourier-transform.ts';
import { bands, logMel } from './log-mel.ts';

const size = 400;
const frames = 3000;

function directPower(signal: Float64Array, bin: number): number {
  let real = 0;
  let imaginary = 0;
  for (const [i, value] of signal.entries()) {
    real += value * Math.cos((2 * Math.PI * bin * i) / size);
    imaginary -= value * Math.sin((2 * Math.PI * bin * i) / size);
  }
  return real * real + imaginary * imaginary;
}

test('two signals transformed at once have the spectra that the definition gives', () => {
  const first = Float64Array.from({ length: size }, (_, i) => Math.sin(i * 0.37) + 0.2 * Math.cos(i * 1.9));
  const second = Float64Array.from({ length: size }, (_, i) => ((i * 7919) % 101) / 101 - 0.5);
  const powers = new FourierTransform(size).powersOfTwo(first, second);
  for (let bin = 0; bin <= size / 2; bin++) {
    assert.ok(Math.abs((powers.first[bin] ?? 0) - directPower(first, bin)) < 1e-6, `first, bin ${bin}`);
    assert.ok(Math.abs((powers.second[bin] ?? 0) - directPower(second, bin)) < 1e-6, `second, bin ${bin}`);
  }
});

test('a tone is loudest in the band of its pitch, for as long as it sounds', () => {
  const tone = Float32Array.from(
    { length: 16_000 },
    (_, i) => 0.5 * Math.sin((2 * Math.PI * 1000 * i) / 16_000),
  );
  const mel = logMel(tone, frames);
  const column = (frame: number) =>
    Array.from({ length: bands }, (_, band) => mel[band * frames + frame] ?? 0);
  const loudest = column(50).indexOf(Math.max(...column(50)));
  assert.ok(loudest >= 24 && loudest <= 28, `band ${loudest}`); // 1000 Hz is a third of the way up the scale.
  assert.ok((column(50)[loudest] ?? 0) - (column(200)[loudest] ?? 0) > 1.9); // Silence lies at the floor.
});
