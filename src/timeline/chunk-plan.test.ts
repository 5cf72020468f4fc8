import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkPlan, paddedUtterances } from './chunk-plan.ts';
import { sampleRate } from './sample-rate.ts';
import type { SpeechSpan } from './span.ts';

const span = (startSeconds: number, endSeconds: number): SpeechSpan => ({
  startSample: Math.round(startSeconds * sampleRate),
  endSample: Math.round(endSeconds * sampleRate),
});

/** Speech with pauses whose lengths come from a fixed sequence, so that a failure can be repeated. */
function talk(totalSeconds: number): SpeechSpan[] {
  const spans: SpeechSpan[] = [];
  let seed = 7;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  for (let at = random(); at < totalSeconds; ) {
    const end = Math.min(totalSeconds, at + 0.3 + 5 * random());
    spans.push(span(at, end));
    at = end + 0.1 + (random() < 0.1 ? 6 * random() : 0.6 * random());
  }
  return spans;
}

test('silence gives no chunks', () => {
  assert.deepEqual(chunkPlan([], 3600 * sampleRate), []);
});

test('every sample of speech is in exactly one utterance, and every utterance in exactly one chunk', () => {
  const spans = talk(3600);
  const chunks = chunkPlan(spans, 3600 * sampleRate);
  assert.deepEqual(
    chunks.flatMap((chunk) => chunk.utterances.flatMap((utterance) => utterance.spans)),
    spans,
  );
  assert.deepEqual(
    chunks.map((chunk) => chunk.index),
    chunks.map((_, i) => i),
  );
});

test('no utterance is longer than 16 s and no chunk longer than 30 s, unless a single breath is', () => {
  for (const chunk of chunkPlan(talk(7200), 7200 * sampleRate)) {
    assert.ok(chunk.endSample - chunk.startSample <= 30 * sampleRate);
    for (const utterance of chunk.utterances) {
      assert.ok(utterance.endSample - utterance.startSample <= 16 * sampleRate);
    }
  }
});

test('a cut is made at the long pause and not at the short one', () => {
  const chunks = chunkPlan([span(0, 6), span(6.1, 9), span(9.7, 18)], 18 * sampleRate);
  const utterances = chunks.flatMap((chunk) => chunk.utterances);
  assert.deepEqual(
    utterances.map((utterance) => utterance.endSample),
    [9 * sampleRate, 18 * sampleRate],
  );
});

test('the audio of chunks and utterances has context but overlaps no neighbour and no end of the recording', () => {
  const total = 3600 * sampleRate;
  const chunks = chunkPlan(talk(3600), total);
  let previousEnd = 0;
  for (const chunk of chunks) {
    assert.ok(chunk.startSample >= previousEnd);
    previousEnd = chunk.endSample;
    let previousUtteranceEnd = chunk.startSample;
    for (const [i, padded] of paddedUtterances(chunk).entries()) {
      const utterance = chunk.utterances[i];
      assert.ok(utterance);
      assert.ok(padded.startSample <= utterance.startSample && padded.endSample >= utterance.endSample);
      assert.ok(padded.startSample >= previousUtteranceEnd && padded.endSample <= chunk.endSample);
      previousUtteranceEnd = padded.endSample;
    }
  }
  assert.ok(previousEnd <= total);
});

test('the silence between two talks is read by no chunk', () => {
  const chunks = chunkPlan([span(1, 5), span(1805, 1809)], 3600 * sampleRate);
  assert.equal(chunks.length, 2);
  for (const chunk of chunks) assert.ok(chunk.endSample - chunk.startSample < 5 * sampleRate);
});

test('a plan whose beginning was made before the rest was heard is the plan of the whole', () => {
  const spans = talk(3600);
  const whole = chunkPlan(spans, 3600 * sampleRate);
  for (let heardSeconds = 160; heardSeconds < 600; heardSeconds += 7) {
    const heard = spans.filter(({ endSample }) => endSample <= heardSeconds * sampleRate);
    const beginning = chunkPlan(heard, heardSeconds * sampleRate).slice(0, -3);
    assert.ok(beginning.length > 0);
    const rest = chunkPlan(spans, 3600 * sampleRate, beginning.at(-1));
    assert.deepEqual([...beginning, ...rest], whole);
  }
});

test('a plan is gone on with where borders have moved, and no sample is planned twice', () => {
  const beginning = chunkPlan(talk(200), 200 * sampleRate).slice(0, -3);
  const end = beginning.at(-1)?.utterances.at(-1)?.endSample ?? 0;
  const moved = talk(3600).map(({ startSample, endSample }) => ({
    startSample: startSample - 160,
    endSample: endSample + 160,
  }));
  const [next] = chunkPlan(moved, 3600 * sampleRate, beginning.at(-1));
  assert.equal(next?.index, beginning.length);
  assert.equal(next?.utterances[0]?.startSample, end);
});
