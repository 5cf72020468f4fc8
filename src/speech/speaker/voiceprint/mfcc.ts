/**
 * Mel-frequency cepstra as Kaldi computes them with the network's mfcc.conf: 8 kHz, frames of 25 ms every 10 ms, Povey
 * window, 23 mel bins from 20 to 3700 Hz, 23 coefficients with the log energy first, lifter 22. Kaldi adds random noise
 * (dither); here there is none, so that the same audio always gives the same speakers.
 */
import { fullScale } from '../../../timeline/pcm-samples.ts';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import { FourierTransform } from '../../fourier-transform.ts';

export const coefficientCount = 23;
export const framesPerSecond = 100;

/** Of the network, half of ours. */
const networkRate = sampleRate / 2;
const frameSamples = 200;
const shiftSamples = 80;
const fftSize = 256;
const lowHz = 20;
const highHz = 3700;
const preemphasis = 0.97;
const lifter = 22;
const smallest = 1.1920928955078125e-7;
const resampleCutoffHz = 0.99 * 0.5 * networkRate;
const resampleZeros = 6;

/** The taps of the windowed sinc that Kaldi's resampler uses, for 16 kHz to 8 kHz. */
function halvingTaps(): Float64Array {
  const windowSeconds = resampleZeros / (2 * resampleCutoffHz);
  const reach = Math.floor(windowSeconds * 2 * networkRate);
  const taps = new Float64Array(2 * reach + 1);
  for (let index = -reach; index <= reach; index += 1) {
    const time = index / (2 * networkRate);
    const window = 0.5 * (1 + Math.cos(((2 * Math.PI * resampleCutoffHz) / resampleZeros) * time));
    const sinc =
      time === 0 ? 2 * resampleCutoffHz : Math.sin(2 * Math.PI * resampleCutoffHz * time) / (Math.PI * time);
    taps[index + reach] = (window * sinc) / (2 * networkRate);
  }
  return taps;
}

const taps = halvingTaps();

/** 16 kHz to 8 kHz. Kaldi works on 16-bit samples; ours go from −1 to 1. */
export function halvedRate(samples: Float32Array): Float64Array {
  const reach = (taps.length - 1) / 2;
  const halved = new Float64Array(Math.ceil(samples.length / 2));
  for (let index = 0; index < halved.length; index += 1) {
    const centre = 2 * index;
    const from = Math.max(-reach, -centre);
    const to = Math.min(reach, samples.length - 1 - centre);
    let sum = 0;
    for (let tap = from; tap <= to; tap += 1) sum += (samples[centre + tap] ?? 0) * (taps[tap + reach] ?? 0);
    halved[index] = sum * fullScale;
  }
  return halved;
}

function mel(hz: number): number {
  return 1127 * Math.log(1 + hz / 700);
}

interface MelBin {
  first: number;
  weights: Float64Array;
}

function melBins(): MelBin[] {
  const low = mel(lowHz);
  const step = (mel(highHz) - low) / (coefficientCount + 1);
  return Array.from({ length: coefficientCount }, (_, bin) => {
    const left = low + bin * step;
    const weights: number[] = [];
    let first = -1;
    for (let index = 0; index < fftSize / 2; index += 1) {
      const distance = (mel((index * networkRate) / fftSize) - left) / step;
      if (distance <= 0 || distance >= 2) continue;
      if (first < 0) first = index;
      weights.push(distance <= 1 ? distance : 2 - distance);
    }
    return { first, weights: Float64Array.from(weights) };
  });
}

/** The cosine transform and the lifter as one matrix. */
function cepstrumMatrix(): Float64Array {
  const matrix = new Float64Array(coefficientCount * coefficientCount);
  for (let row = 0; row < coefficientCount; row += 1) {
    const norm = Math.sqrt((row === 0 ? 1 : 2) / coefficientCount);
    const lift = 1 + 0.5 * lifter * Math.sin((Math.PI * row) / lifter);
    for (let column = 0; column < coefficientCount; column += 1) {
      matrix[row * coefficientCount + column] =
        norm * lift * Math.cos((Math.PI / coefficientCount) * (column + 0.5) * row);
    }
  }
  return matrix;
}

const bins = melBins();
const cepstrum = cepstrumMatrix();
const poveyWindow = Float64Array.from(
  { length: frameSamples },
  (_, index) => (0.5 - 0.5 * Math.cos((2 * Math.PI * index) / (frameSamples - 1))) ** 0.85,
);
const transform = new FourierTransform(fftSize);

/** Takes the mean off, notes the energy, emphasises and windows. Gives the log energy. */
function preparedFrame(samples: Float64Array, start: number, frame: Float64Array): number {
  let mean = 0;
  for (let index = 0; index < frameSamples; index += 1) mean += samples[start + index] as number;
  mean /= frameSamples;
  let energy = 0;
  for (let index = 0; index < frameSamples; index += 1) {
    const value = (samples[start + index] as number) - mean;
    frame[index] = value;
    energy += value * value;
  }
  for (let index = frameSamples - 1; index > 0; index -= 1) {
    frame[index] =
      ((frame[index] as number) - preemphasis * (frame[index - 1] as number)) *
      (poveyWindow[index] as number);
  }
  frame[0] = (frame[0] as number) * (1 - preemphasis) * (poveyWindow[0] as number);
  frame.fill(0, frameSamples);
  return Math.log(Math.max(energy, smallest));
}

export function frameCount(sampleCount16k: number): number {
  const halved = Math.ceil(sampleCount16k / 2);
  return halved < frameSamples ? 0 : 1 + Math.floor((halved - frameSamples) / shiftSamples);
}

/** Frame by frame, 23 coefficients each. */
export function mfcc(samples16k: Float32Array): Float32Array {
  const samples = halvedRate(samples16k);
  const frames = frameCount(samples16k.length);
  const coefficients = new Float32Array(frames * coefficientCount);
  const frameOf = (frame: number) =>
    coefficients.subarray(frame * coefficientCount, (frame + 1) * coefficientCount);
  const [first, second] = [new Float64Array(fftSize), new Float64Array(fftSize)];
  for (let frame = 0; frame < frames; frame += 2) {
    const hasSecond = frame + 1 < frames;
    const firstEnergy = preparedFrame(samples, frame * shiftSamples, first);
    const secondEnergy = hasSecond ? preparedFrame(samples, (frame + 1) * shiftSamples, second) : 0;
    const powers = transform.powerSpectra(first, second);
    writeCoefficients(frameOf(frame), powers.first, firstEnergy);
    if (hasSecond) writeCoefficients(frameOf(frame + 1), powers.second, secondEnergy);
  }
  return coefficients;
}

function writeCoefficients(coefficients: Float32Array, powers: Float64Array, logEnergy: number): void {
  const logMel = bins.map(({ first, weights }) => {
    let sum = 0;
    for (let index = 0; index < weights.length; index += 1) {
      sum += (powers[first + index] as number) * (weights[index] as number);
    }
    return Math.log(Math.max(sum, smallest));
  });
  for (let row = 1; row < coefficientCount; row += 1) {
    let sum = 0;
    for (let column = 0; column < coefficientCount; column += 1) {
      sum += (cepstrum[row * coefficientCount + column] as number) * (logMel[column] as number);
    }
    coefficients[row] = sum;
  }
  coefficients[0] = logEnergy;
}

/** Takes off each frame the mean of the `windowFrames` around it; near an end the window is moved, not cut. */
export function slidingMeanRemoved(features: Float32Array, windowFrames: number): Float32Array {
  const frames = features.length / coefficientCount;
  const result = new Float32Array(features.length);
  const sums = new Float64Array((frames + 1) * coefficientCount);
  for (let index = 0; index < features.length; index += 1) {
    sums[index + coefficientCount] = (sums[index] as number) + (features[index] as number);
  }
  for (let frame = 0; frame < frames; frame += 1) {
    let from = frame - Math.floor(windowFrames / 2);
    let to = from + windowFrames;
    if (from < 0) {
      to -= from;
      from = 0;
    }
    if (to > frames) {
      from = Math.max(0, from - (to - frames));
      to = frames;
    }
    for (let item = 0; item < coefficientCount; item += 1) {
      const sum =
        (sums[to * coefficientCount + item] as number) - (sums[from * coefficientCount + item] as number);
      const index = frame * coefficientCount + item;
      result[index] = (features[index] as number) - sum / (to - from);
    }
  }
  return result;
}
