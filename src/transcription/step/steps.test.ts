import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestLimitMs } from '../../speech/process/request-limit.ts';
import { chunkPlan } from '../../timeline/chunk-plan.ts';
import { bytesPerSample } from '../../timeline/pcm-samples.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import { stepQueues } from './steps.ts';

test('a chunk that waits for another, and is tried three times, is not taken from its worker', () => {
  const spans = Array.from({ length: 10 }, (_, i) => ({
    startSample: i * 14 * sampleRate,
    endSample: (i * 14 + 13.8) * sampleRate,
  }));
  const chunks = chunkPlan(spans, 140 * sampleRate);
  const limits = chunks.map((chunk) => {
    const audio = new Uint8Array((chunk.endSample - chunk.startSample) * bytesPerSample);
    const options = { engine: 'auto', language: null, speakers: true };
    return requestLimitMs({ type: 'recognise', id: 1, audio, chunk, options });
  });
  const tries = 3;
  assert.ok(stepQueues.recognise.expireSeconds * 1000 >= tries * 2 * Math.max(...limits));
});
