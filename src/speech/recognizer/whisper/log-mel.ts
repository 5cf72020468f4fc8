/** Whisper's log-mel spectrogram: 80 bands, one frame every 10 ms. */
import { sampleRate } from '../../../timeline/sample-rate.ts';
import { FourierTransform } from '../../fourier-transform.ts';

const windowSize = 400;
const hopSize = 160;
export const bands = 80;
const bins = windowSize / 2 + 1;

const hann = Float64Array.from(
  { length: windowSize },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / windowSize),
);
const filters = melFilters();
const transform = new FourierTransform(windowSize);

/** `[bands × frames]`, row by row. Audio beyond the last frame is not looked at; what is missing is silence. */
export function logMel(samples: Float32Array, frames: number): Float32Array {
  const mel = new Float32Array(bands * frames).fill(-10);
  const used = Math.min(frames, Math.ceil((samples.length + windowSize / 2) / hopSize));
  for (let frame = 0; frame < used; frame += 2) {
    // Two real frames are transformed at once, as the real and the imaginary part.
    const spectrum = transform.powerSpectra(windowed(samples, frame), windowed(samples, frame + 1));
    writeColumn(mel, frames, frame, spectrum.first);
    if (frame + 1 < used) writeColumn(mel, frames, frame + 1, spectrum.second);
  }
  let loudest = -10;
  for (const value of mel) loudest = Math.max(loudest, value);
  for (let i = 0; i < mel.length; i++) mel[i] = (Math.max(mel[i] ?? 0, loudest - 8) + 4) / 4;
  return mel;
}

function windowed(samples: Float32Array, frame: number): Float64Array {
  const from = frame * hopSize - windowSize / 2;
  const cut = new Float64Array(windowSize);
  for (let i = 0; i < windowSize; i++) {
    const at = Math.abs(from + i); // The start is mirrored, as in training.
    cut[i] = (samples[at] ?? 0) * (hann[i] as number);
  }
  return cut;
}

function writeColumn(mel: Float32Array, frames: number, frame: number, powers: Float64Array): void {
  for (let band = 0; band < bands; band++) {
    const { from, weights } = filters[band] as MelFilter;
    let sum = 0;
    for (let i = 0; i < weights.length; i++) sum += (weights[i] as number) * (powers[from + i] as number);
    mel[band * frames + frame] = Math.log10(Math.max(sum, 1e-10));
  }
}

interface MelFilter {
  from: number;
  weights: Float64Array;
}

/** Slaney's scale: linear below 1000 Hz, logarithmic above; each band has the same area. */
function melFilters(): MelFilter[] {
  const toMel = (hertz: number) =>
    hertz < 1000 ? (hertz * 3) / 200 : 15 + Math.log(hertz / 1000) / (Math.log(6.4) / 27);
  const toHertz = (mel: number) =>
    mel < 15 ? (mel * 200) / 3 : 1000 * Math.exp((mel - 15) * (Math.log(6.4) / 27));
  const top = toMel(sampleRate / 2);
  const edges = Array.from({ length: bands + 2 }, (_, i) => toHertz((top * i) / (bands + 1)));
  return Array.from({ length: bands }, (_, band) => {
    const [low = 0, centre = 0, high = 0] = edges.slice(band, band + 3);
    const all = Array.from({ length: bins }, (__, bin) => {
      const hertz = (bin * sampleRate) / windowSize;
      const slope = Math.min((hertz - low) / (centre - low), (high - hertz) / (high - centre));
      return (Math.max(0, slope) * 2) / (high - low);
    });
    const from = Math.max(
      0,
      all.findIndex((weight) => weight > 0),
    );
    const to = all.findLastIndex((weight) => weight > 0);
    return { from, weights: Float64Array.from(all.slice(from, to + 1)) };
  });
}
