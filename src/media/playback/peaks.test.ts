import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PeakCollector } from './peaks.ts';

function pcm(samples: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * samples.length);
  for (const [i, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * i);
  return bytes;
}

function parsed(object: Buffer) {
  const [perSecond, points, peaks] = [4, 8, 12].map((at) => object.readUInt32LE(at));
  const pairs = new Int8Array(object.buffer, object.byteOffset + 16, object.length - 16);
  return { magic: object.toString('latin1', 0, 4), perSecond, points, peaks, pairs: [...pairs] };
}

test('each tenth of a second gives its lowest and highest sample, however the samples come', () => {
  const samples = Array.from({ length: 4_000 }, (_, i) => (i < 1_600 ? 256 * 10 : -256 * 20));
  samples[1_599] = -256 * 5;
  const all = pcm(samples);
  for (const step of [2, 998, 8_000]) {
    const collector = new PeakCollector();
    for (let at = 0; at < all.length; at += step) collector.add(all.subarray(at, at + step));
    const expected = { magic: 'LPK1', perSecond: 10, points: 3, peaks: 3 };
    const pairs = [-5, 10, -20, 0, -20, 0];
    assert.deepEqual(parsed(collector.finish()), { ...expected, pairs: [...pairs, ...pairs] });
  }
});

test('the overview of a long recording has 4,000 points and loses no peak', () => {
  const collector = new PeakCollector();
  const quiet = Buffer.alloc(3_200);
  for (let peak = 0; peak < 10_000; peak++)
    collector.add(peak === 7_777 ? pcm(Array.from({ length: 1_600 }, () => 32_767)) : quiet);
  const { points, peaks, pairs } = parsed(collector.finish());
  assert.deepEqual([points, peaks], [4_000, 10_000]);
  const overview = pairs.slice(0, 8_000);
  assert.equal(overview.filter((value) => value === 127).length, 1);
  assert.equal(Math.floor(overview.indexOf(127) / 2), 3_111);
});

test('no sound gives no peaks', () => {
  assert.deepEqual(parsed(new PeakCollector().finish()).pairs, []);
});
