import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleRate } from '../../timeline/sample-rate.ts';
import { withExactEdges } from './span-edges.ts';

const offset = 7 * sampleRate + 123;
const length = 3 * sampleRate;
const noise = (i: number) => 0.001 * Math.sin(i * i * 0.37);

/** A hum that begins and ends at known samples, in a room that is never quite silent. */
function hum(fromSample: number, untilSample: number): Float32Array {
  return Float32Array.from({ length }, (_, i) => {
    const at = offset + i;
    const voice =
      at >= fromSample && at < untilSample ? 0.2 * Math.sin((2 * Math.PI * 140 * at) / sampleRate) : 0;
    return voice + noise(i);
  });
}

function exactSpans(samples: Float32Array, spans: { startSample: number; endSample: number }[]) {
  const extent = { startSample: offset, endSample: offset + length };
  return withExactEdges([{ ...extent, spans }], extent, samples)[0]?.spans ?? [];
}

test('an edge that voice activity put a few windows off comes to lie within 5 ms of the voice', () => {
  const from = offset + 9001;
  const until = offset + 30_011;
  for (const shift of [-2500, -600, 0, 333, 2500]) {
    const [span] = exactSpans(hum(from, until), [{ startSample: from + shift, endSample: until - shift }]);
    assert.ok(
      Math.abs((span?.startSample ?? 0) - from) <= 0.005 * sampleRate,
      `start ${shift} ${(span?.startSample ?? 0) - from}`,
    );
    assert.ok(
      Math.abs((span?.endSample ?? 0) - until) <= 0.005 * sampleRate,
      `end ${shift} ${(span?.endSample ?? 0) - until}`,
    );
  }
});

test('a voice that voice activity holds on to ends where it falls, not where the noise after it does', () => {
  const from = offset + 9001;
  const until = offset + 22_003;
  const applause = hum(from, until).map((value, i) => {
    const at = offset + i;
    return at >= until && at < until + 12_000 ? 0.02 * Math.sin(i * i * 0.91) : value;
  });
  for (const held of [7000, 7200, 7400]) {
    const [span] = exactSpans(applause, [{ startSample: from, endSample: until + held }]);
    assert.ok(
      Math.abs((span?.endSample ?? 0) - until) <= 0.01 * sampleRate,
      `end ${held} ${(span?.endSample ?? 0) - until}`,
    );
  }
});

test('where digital silence becomes the noise of a room nobody begins to speak', () => {
  const from = offset + 16_001;
  const samples = hum(from, offset + 40_000).map((value, i) =>
    i < 12_500 ? 0 : value + 0.002 * Math.sin(i * i * 0.53),
  );
  const [span] = exactSpans(samples, [{ startSample: from - 700, endSample: offset + 40_000 }]);
  assert.ok(
    Math.abs((span?.startSample ?? 0) - from) <= 0.01 * sampleRate,
    `${(span?.startSample ?? 0) - from}`,
  );
});

test('two words with a short pause between them keep their own edges', () => {
  const pause = [offset + 20_003, offset + 22_405] as const;
  const until = offset + 25_207;
  const second = hum(pause[1], until);
  const samples = hum(offset + 9001, pause[0]).map((value, i) => value + (second[i] ?? 0));
  const spans = exactSpans(samples, [
    { startSample: offset + 9001, endSample: pause[0] + 300 },
    { startSample: pause[1] - 300, endSample: until },
  ]);
  assert.ok(
    Math.abs((spans[0]?.endSample ?? 0) - pause[0]) <= 0.01 * sampleRate,
    `${(spans[0]?.endSample ?? 0) - pause[0]}`,
  );
  assert.ok(
    Math.abs((spans[1]?.startSample ?? 0) - pause[1]) <= 0.01 * sampleRate,
    `${(spans[1]?.startSample ?? 0) - pause[1]}`,
  );
});

test('a cut inside speech stays where it is, and spans never overlap', () => {
  const from = offset + 9001;
  const until = offset + 30_011;
  const cut = offset + 20_000;
  const spans = exactSpans(hum(from, until), [
    { startSample: from - 400, endSample: cut },
    { startSample: cut, endSample: until + 400 },
  ]);
  assert.equal(spans[0]?.endSample, cut);
  assert.equal(spans[1]?.startSample, cut);
});

test('where nothing stands out the edges stay', () => {
  const span = { startSample: offset + 8000, endSample: offset + 20_000 };
  assert.deepEqual(exactSpans(hum(0, 0), [span]), [span]);
});
