import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import { bands, logMel } from './log-mel.ts';

const frames = 3000;

test('a tone is loudest in the band of its pitch, for as long as it sounds', () => {
  const tone = Float32Array.from(
    { length: sampleRate },
    (_, i) => 0.5 * Math.sin((2 * Math.PI * 1000 * i) / sampleRate),
  );
  const mel = logMel(tone, frames);
  const column = (frame: number) =>
    Array.from({ length: bands }, (_, band) => mel[band * frames + frame] ?? 0);
  const loudest = column(50).indexOf(Math.max(...column(50)));
  assert.ok(loudest >= 24 && loudest <= 28, `band ${loudest}`); // 1000 Hz is a third of the way up the scale.
  assert.ok((column(50)[loudest] ?? 0) - (column(200)[loudest] ?? 0) > 1.9); // Silence lies at the floor.
});
