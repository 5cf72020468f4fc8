import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleRate } from '../../timeline/sample-rate.ts';
import { SpanFinder } from './span-finder.ts';

const windowSamples = 512;
const windows = (seconds: number) => Math.round((seconds * sampleRate) / windowSamples);

function spansOf(...parts: [seconds: number, probability: number, loudness?: number][]) {
  const finder = new SpanFinder();
  let total = 0;
  for (const [seconds, probability, loudness = 1] of parts) {
    for (let i = 0; i < windows(seconds); i++) finder.accept(probability, loudness);
    total += windows(seconds) * windowSamples;
  }
  return { total, spans: finder.end(total) };
}

test('speech between silence is one span, from its first to its last window', () => {
  const { spans } = spansOf([1, 0.01], [2, 0.95], [1, 0.01]);
  const startSample = windows(1) * windowSamples;
  assert.deepEqual(spans, [{ startSample, endSample: startSample + windows(2) * windowSamples }]);
});

test('a voice that fades is not cut, and a closure inside a word is no pause', () => {
  const { spans } = spansOf([1, 0.9], [0.5, 0.4], [0.064, 0.1], [1, 0.9], [1, 0]);
  assert.equal(spans.length, 1);
});

test('a click is no speech', () => {
  assert.deepEqual(spansOf([1, 0], [0.064, 0.9], [1, 0]).spans, []);
});

test('a short sound is speech only where it is clear', () => {
  assert.deepEqual(spansOf([1, 0], [0.2, 0.8], [1, 0]).spans, []);
  assert.equal(spansOf([1, 0], [0.1, 0.7], [0.032, 0.95], [0.1, 0.7], [1, 0]).spans.length, 1);
  assert.equal(spansOf([1, 0], [1.5, 0.8], [1, 0]).spans.length, 1);
});

test('speech at the very end reaches the end and not beyond', () => {
  const { spans, total } = spansOf([1, 0], [1, 0.9]);
  assert.equal(spans.at(-1)?.endSample, total);
});

test('speech without a pause is cut at its quietest window before it is 12 s long, and nothing is lost', () => {
  const { spans, total } = spansOf([7, 0.9], [0.032, 0.9, 0.01], [20, 0.9]);
  assert.ok(spans.length >= 3);
  assert.equal(spans[0]?.endSample, windows(7) * windowSamples + windowSamples / 2);
  assert.equal(spans[0]?.startSample, 0);
  assert.equal(spans.at(-1)?.endSample, total);
  for (const [i, span] of spans.entries()) {
    assert.ok(span.endSample - span.startSample <= 12 * sampleRate);
    if (i > 0) assert.equal(span.startSample, spans[i - 1]?.endSample);
  }
});
