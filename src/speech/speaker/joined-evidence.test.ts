import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpeakerEvidence } from '../chunk-result.ts';
import { joinedEvidence } from './joined-evidence.ts';

const result = (speakers?: SpeakerEvidence) => ({
  engine: 'moonshine-base',
  utterances: [],
  ...(speakers && { speakers }),
});
const embedded = (model: string, startSample = 0): SpeakerEvidence => ({
  model,
  overlapping: false,
  windows: [{ startSample, endSample: startSample + 24_000, voice: 'AA==' }],
});

test('the windows of all chunks come in order', () => {
  const evidence = joinedEvidence([result(embedded('m', 0)), result(embedded('m', 64_000))]);
  assert.ok('windows' in evidence);
  assert.deepEqual(
    evidence.windows.map(({ startSample }) => startSample),
    [0, 64_000],
  );
});

test('a chunk without evidence leaves a gap and not a failure', () => {
  const evidence = joinedEvidence([result({ fault: 'time-limit', detail: '' }), result(embedded('m'))]);
  assert.ok('windows' in evidence && evidence.windows.length === 1);
});

test('when no chunk has evidence, the first fault is told', () => {
  assert.deepEqual(joinedEvidence([result({ fault: 'no-model', detail: 'none' }), result()]), {
    fault: 'no-model',
    detail: 'none',
  });
  const silent = joinedEvidence([result()]);
  assert.ok('fault' in silent && silent.fault === 'too-little-speech');
});

test('embeddings of two models are not compared', () => {
  const evidence = joinedEvidence([result(embedded('m')), result(embedded('other'))]);
  assert.ok('fault' in evidence && evidence.fault === 'mixed-models');
});
