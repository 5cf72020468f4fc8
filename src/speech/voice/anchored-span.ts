/**
 * Where speech rises and falls the most, to the sample. Voice activity finds the same speech a few milliseconds earlier or
 * later, by how its windows lie on it, and a recognizer then may write other words: a shift of 3 ms is enough. The steepest
 * rise and fall are of the sound itself, so the same speech is cut in the same way wherever it stands in a recording.
 */

import { sampleRate } from '../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../timeline/span.ts';

/** How far from the edge of voice activity; a chunk is read with at least this and the context of an utterance. */
const searchSamples = 0.15 * sampleRate;
/** Before and after are compared over 20 ms. */
const levelSamples = 0.02 * sampleRate;
/** The power of a sample at -80 dB: below it there is silence, digital or not. */
const silentPower = 1e-8;

/** `span` with its edges moved to the steepest rise and fall near them; `samples` begin at `offset`. */
export function anchoredSpan(span: SpeechSpan, samples: Float32Array, offset: number): SpeechSpan {
  const startSample = offset + steepest(samples, span.startSample - offset, 1);
  const endSample = offset + steepest(samples, span.endSample - offset, -1);
  return startSample < endSample ? { startSample, endSample } : span;
}

/** The sample near `around` where the level rises (`direction` 1) or falls (-1) the most. */
function steepest(samples: Float32Array, around: number, direction: 1 | -1): number {
  const from = Math.max(0, around - searchSamples);
  const to = Math.min(samples.length, around + searchSamples);
  let before = powerOf(samples, from - levelSamples, from);
  let after = powerOf(samples, from, from + levelSamples);
  let most = Number.NEGATIVE_INFINITY;
  let found = around;
  for (let sample = from; sample <= to; sample++) {
    const floor = levelSamples * silentPower;
    const growth = direction * Math.log((after + floor) / (before + floor));
    if (growth > most) {
      most = growth;
      found = sample;
    }
    // Sums of squares of 16-bit samples are exact, so they are the same wherever the loop began.
    const entering = squareAt(samples, sample);
    before += entering - squareAt(samples, sample - levelSamples);
    after += squareAt(samples, sample + levelSamples) - entering;
  }
  return found;
}

function powerOf(samples: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let sample = from; sample < to; sample++) sum += squareAt(samples, sample);
  return sum;
}

/** Beyond the audio there is silence. */
function squareAt(samples: Float32Array, sample: number): number {
  return (samples[sample] ?? 0) ** 2;
}
