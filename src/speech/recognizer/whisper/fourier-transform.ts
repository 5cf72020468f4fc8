/**
 * A discrete Fourier transform for lengths that are products of 4 and 5 (Whisper's is 400). Each stage reads one
 * signal and writes another, so that the result comes out in order without a shuffle.
 */
export class FourierTransform {
  readonly #size: number;
  readonly #factors: (4 | 5)[];
  readonly #turns: Signal;
  #from: Signal;
  #to: Signal;

  constructor(size: number) {
    this.#size = size;
    this.#factors = factorsOf(size);
    this.#from = { real: new Float64Array(size), imaginary: new Float64Array(size) };
    this.#to = { real: new Float64Array(size), imaginary: new Float64Array(size) };
    this.#turns = {
      real: Float64Array.from({ length: size }, (_, i) => Math.cos((2 * Math.PI * i) / size)),
      imaginary: Float64Array.from({ length: size }, (_, i) => -Math.sin((2 * Math.PI * i) / size)),
    };
  }

  /** The power spectra, from 0 to half the sample rate, of two real signals. */
  powersOfTwo(first: Float64Array, second: Float64Array): { first: Float64Array; second: Float64Array } {
    this.#from.real.set(first);
    this.#from.imaginary.set(second);
    let stride = 1;
    for (const factor of this.#factors) {
      const stage = factor === 4 ? stageOfFour : stageOfFive;
      stage(this.#from, this.#to, this.#turns, stride);
      stride *= factor;
      [this.#from, this.#to] = [this.#to, this.#from];
    }
    return powersOf(this.#from, this.#size);
  }
}

interface Signal {
  real: Float64Array;
  imaginary: Float64Array;
}

function powersOf({ real, imaginary }: Signal, size: number): { first: Float64Array; second: Float64Array } {
  const bins = size / 2 + 1;
  const powers = { first: new Float64Array(bins), second: new Float64Array(bins) };
  for (let bin = 0; bin < bins; bin++) {
    const mirror = (size - bin) % size;
    const realHere = real[bin] as number;
    const realThere = real[mirror] as number;
    const imaginaryHere = imaginary[bin] as number;
    const imaginaryThere = imaginary[mirror] as number;
    powers.first[bin] = ((realHere + realThere) ** 2 + (imaginaryHere - imaginaryThere) ** 2) / 4;
    powers.second[bin] = ((imaginaryHere + imaginaryThere) ** 2 + (realThere - realHere) ** 2) / 4;
  }
  return powers;
}

type Stage = (from: Signal, to: Signal, turns: Signal, stride: number) => void;

/** Sums of four, whose turns are quarters: no multiplication but by the place in the stage. */
const stageOfFour: Stage = ({ real, imaginary }, to, turns, stride) => {
  const distance = real.length / 4;
  for (let at = 0; at < distance; at++) {
    const lane = at % stride;
    const ar = real[at] as number;
    const ai = imaginary[at] as number;
    const br = real[at + distance] as number;
    const bi = imaginary[at + distance] as number;
    const cr = real[at + 2 * distance] as number;
    const ci = imaginary[at + 2 * distance] as number;
    const dr = real[at + 3 * distance] as number;
    const di = imaginary[at + 3 * distance] as number;
    const out = lane + (at - lane) * 4;
    const turn = at - lane;
    put(to, out, ar + cr + br + dr, ai + ci + bi + di, turns, 0);
    put(to, out + stride, ar - cr + bi - di, ai - ci - br + dr, turns, turn);
    put(to, out + 2 * stride, ar + cr - br - dr, ai + ci - bi - di, turns, 2 * turn);
    put(to, out + 3 * stride, ar - cr - bi + di, ai - ci + br - dr, turns, 3 * turn);
  }
};

const cosine1 = Math.cos((2 * Math.PI) / 5);
const cosine2 = Math.cos((4 * Math.PI) / 5);
const sine1 = Math.sin((2 * Math.PI) / 5);
const sine2 = Math.sin((4 * Math.PI) / 5);

/** Sums of five; the second and fifth, and the third and fourth, are mirrors of each other. */
const stageOfFive: Stage = ({ real, imaginary }, to, turns, stride) => {
  const distance = real.length / 5;
  for (let at = 0; at < distance; at++) {
    const lane = at % stride;
    const ar = real[at] as number;
    const ai = imaginary[at] as number;
    const outerReal = (real[at + distance] as number) + (real[at + 4 * distance] as number);
    const outerImaginary = (imaginary[at + distance] as number) + (imaginary[at + 4 * distance] as number);
    const innerReal = (real[at + 2 * distance] as number) + (real[at + 3 * distance] as number);
    const innerImaginary =
      (imaginary[at + 2 * distance] as number) + (imaginary[at + 3 * distance] as number);
    const outerRealGap = (real[at + distance] as number) - (real[at + 4 * distance] as number);
    const outerGap = (imaginary[at + distance] as number) - (imaginary[at + 4 * distance] as number);
    const innerRealGap = (real[at + 2 * distance] as number) - (real[at + 3 * distance] as number);
    const innerGap = (imaginary[at + 2 * distance] as number) - (imaginary[at + 3 * distance] as number);
    const evenReal1 = ar + cosine1 * outerReal + cosine2 * innerReal;
    const evenImaginary1 = ai + cosine1 * outerImaginary + cosine2 * innerImaginary;
    const evenReal2 = ar + cosine2 * outerReal + cosine1 * innerReal;
    const evenImaginary2 = ai + cosine2 * outerImaginary + cosine1 * innerImaginary;
    const oddReal1 = sine1 * outerGap + sine2 * innerGap;
    const oddImaginary1 = -sine1 * outerRealGap - sine2 * innerRealGap;
    const oddReal2 = sine2 * outerGap - sine1 * innerGap;
    const oddImaginary2 = -sine2 * outerRealGap + sine1 * innerRealGap;
    const out = lane + (at - lane) * 5;
    const turn = at - lane;
    put(to, out, ar + outerReal + innerReal, ai + outerImaginary + innerImaginary, turns, 0);
    put(to, out + stride, evenReal1 + oddReal1, evenImaginary1 + oddImaginary1, turns, turn);
    put(to, out + 2 * stride, evenReal2 + oddReal2, evenImaginary2 + oddImaginary2, turns, 2 * turn);
    put(to, out + 3 * stride, evenReal2 - oddReal2, evenImaginary2 - oddImaginary2, turns, 3 * turn);
    put(to, out + 4 * stride, evenReal1 - oddReal1, evenImaginary1 - oddImaginary1, turns, 4 * turn);
  }
};

function put(to: Signal, at: number, real: number, imaginary: number, turns: Signal, turn: number): void {
  const cosine = turns.real[turn] as number;
  const sine = turns.imaginary[turn] as number;
  to.real[at] = real * cosine - imaginary * sine;
  to.imaginary[at] = real * sine + imaginary * cosine;
}

function factorsOf(size: number): (4 | 5)[] {
  const factors: (4 | 5)[] = [];
  let rest = size;
  for (const factor of [4, 5] as const) {
    while (rest % factor === 0) {
      factors.push(factor);
      rest /= factor;
    }
  }
  if (rest !== 1) throw new Error(`no transform of ${size} points`);
  return factors;
}
