import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clearVoice, voiceThresholds } from './voice-thresholds.ts';

/** So many windows of each probability. */
const windows = (...parts: [count: number, probability: number][]) =>
  Float32Array.from(
    parts.flatMap(([count, probability]) => Array.from({ length: count }, () => probability)),
  );

test('a voice at the microphone keeps the thresholds of clear speech', () => {
  assert.deepEqual(voiceThresholds(windows([600, 0.95], [40, 0.3], [300, 0.01])), clearVoice);
});

test('a voice across a room lowers them', () => {
  const { speech, silence } = voiceThresholds(windows([300, 0.8], [60, 0.3], [500, 0.05]));
  assert.deepEqual([speech.toFixed(2), silence.toFixed(2)], ['0.15', '0.10']);
});

test('sounds without clear speech do not, however many may be a voice', () => {
  assert.deepEqual(voiceThresholds(windows([40, 0.7], [300, 0.3], [600, 0.05])), clearVoice);
  assert.deepEqual(voiceThresholds(windows([20, 0.7], [10, 0.3], [20, 0.05])), clearVoice);
});
