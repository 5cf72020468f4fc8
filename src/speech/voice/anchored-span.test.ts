import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchoredSpan } from './anchored-span.ts';

/** A voice that swells and fades in noise, always the same; samples of 16 bits. */
function spoken(): Float32Array {
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31 - 0.5;
  };
  return Float32Array.from({ length: 48_000 }, (_, i) => {
    const voice = i > 16_000 && i < 32_000 ? Math.min(1, (i - 16_000) / 800, (32_000 - i) / 2400) : 0;
    return Math.round(32_768 * (0.01 * random() + 0.3 * voice * random())) / 32_768;
  });
}

test('the same speech is cut at the same samples, wherever it stands and however voice activity saw it', () => {
  const sound = spoken();
  const found = [0, 3, 311, 4099].flatMap((shift) => {
    const samples = new Float32Array(shift + sound.length);
    samples.set(sound, shift);
    return [-400, 0, 256].map((jitter) => {
      const seen = { startSample: 1000 + shift + 16_100 + jitter, endSample: 1000 + shift + 31_500 - jitter };
      const { startSample, endSample } = anchoredSpan(seen, samples, 1000);
      return [startSample - shift, endSample - shift];
    });
  });
  for (const edges of found) assert.deepEqual(edges, found[0]);
  const [start = 0, end = 0] = found[0] ?? [];
  assert.ok(start > 16_500 && start < 18_000, `${start}`);
  assert.ok(end > 31_500 && end < 33_500, `${end}`);
});

test('at the edge of the audio and in silence a span stays inside the audio', () => {
  const silence = new Float32Array(8000);
  const { startSample, endSample } = anchoredSpan({ startSample: 0, endSample: 8000 }, silence, 0);
  assert.ok(startSample >= 0 && endSample <= 8000 && startSample < endSample);
});
