import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { joinedSpeakers } from '../../src/speech/speaker/joined-speakers.ts';
import { openSherpaListener } from '../../src/speech/speaker/sherpa-listener.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { writeSmallSherpaModels } from '../support/small-sherpa-models.ts';

/** Seconds of a tone that comes and goes ten times a second in steady noise, or of silence. */
function sound(seconds: number, hz: number): number[] {
  return Array.from({ length: seconds * sampleRate }, (_, index) => {
    const time = index / sampleRate;
    const on = Math.sin(2 * Math.PI * 10 * time) > -0.5 ? 1 : 0.05;
    const noise = 0.005 * (((index * 7919) % 1009) / 504.5 - 1);
    return hz === 0 ? 0 : 0.3 * on * Math.sin(2 * Math.PI * hz * time) + noise;
  });
}

test('turns that larger models find are given names over the whole recording', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-sherpa-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const listener = await openSherpaListener(await writeSmallSherpaModels(directory));
  const samples = Float32Array.from([
    ...sound(3, 300),
    ...sound(1, 0),
    ...sound(3, 5000),
    ...sound(1, 0),
    ...sound(3, 300),
  ]);
  const startSample = 100 * sampleRate;
  const chunk = { index: 3, startSample, endSample: startSample + samples.length, utterances: [] };
  const windows = await listener.windows(samples, chunk);
  const heard = { model: 'small', overlapping: listener.overlapping, windows };
  const turns = joinedSpeakers(heard, { min: 1, max: 8 });
  assert.deepEqual(
    turns.map(({ startSample: start, endSample: end, speaker }) => [
      Math.round(start / sampleRate),
      Math.round(end / sampleRate),
      speaker === turns[0]?.speaker,
    ]),
    [
      [100, 103, true],
      [104, 107, false],
      [108, 111, true],
    ],
  );
});
