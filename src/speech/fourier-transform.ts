/**
 * A mixed-radix fast Fourier transform for lengths that are products of 2, 3, 4 and 5: Whisper's 400, Kaldi's 256. Each
 * stage reads one buffer and writes another, so that the result comes out in order without a permutation (Stockham).
 */
export class FourierTransform {
  readonly #size: number;
  readonly #stages: Stage[];
  /** e^(−2πi k / size). */
  readonly #twiddles: Complex;
  #from: Complex;
  #to: Complex;

  constructor(size: number) {
    this.#size = size;
    this.#stages = radicesOf(size).map((radix) => ({ radix, matrix: transformMatrix(radix) }));
    this.#twiddles = unitRoots(size);
    this.#from = complex(size);
    this.#to = complex(size);
  }

  /** The power spectra, from 0 to half the sample rate, of two real signals: transformed as one complex signal. */
  powerSpectra(first: Float64Array, second: Float64Array): { first: Float64Array; second: Float64Array } {
    this.#from.real.set(first);
    this.#from.imaginary.set(second);
    let stride = 1;
    for (const stage of this.#stages) {
      if (stage.radix === 4) butterfliesOfFour(this.#from, this.#to, this.#twiddles, stride);
      else butterflies(this.#from, this.#to, stage, this.#twiddles, stride);
      stride *= stage.radix;
      [this.#from, this.#to] = [this.#to, this.#from];
    }
    return separatePowers(this.#from, this.#size);
  }
}

interface Complex {
  real: Float64Array;
  imaginary: Float64Array;
}

interface Stage {
  radix: number;
  /** Row by row, the transform of `radix` points by its definition. */
  matrix: Complex;
}

function complex(size: number): Complex {
  return { real: new Float64Array(size), imaginary: new Float64Array(size) };
}

function unitRoots(size: number): Complex {
  const angle = (_: unknown, k: number) => (-2 * Math.PI * k) / size;
  const angles = Float64Array.from({ length: size }, angle);
  return { real: angles.map(Math.cos), imaginary: angles.map(Math.sin) };
}

function transformMatrix(size: number): Complex {
  const roots = unitRoots(size);
  const exponents = Uint32Array.from({ length: size * size }, (_, i) => (Math.floor(i / size) * i) % size);
  return {
    real: Float64Array.from(exponents, (k) => roots.real[k] as number),
    imaginary: Float64Array.from(exponents, (k) => roots.imaginary[k] as number),
  };
}

function butterflies(
  { real, imaginary }: Complex,
  to: Complex,
  { radix, matrix }: Stage,
  twiddles: Complex,
  stride: number,
): void {
  const distance = real.length / radix;
  for (let at = 0; at < distance; at++) {
    const group = at - (at % stride);
    for (let k = 0; k < radix; k++) {
      let x = 0;
      let y = 0;
      for (let j = 0, from = at, entry = k * radix; j < radix; j++, from += distance, entry++) {
        const cosine = matrix.real[entry] as number;
        const sine = matrix.imaginary[entry] as number;
        x += (real[from] as number) * cosine - (imaginary[from] as number) * sine;
        y += (real[from] as number) * sine + (imaginary[from] as number) * cosine;
      }
      writeTwiddled(to, at + group * (radix - 1) + k * stride, x, y, twiddles, k * group);
    }
  }
}

/** The same for a radix of 4, most stages by far: its matrix holds only 1, −1, i and −i. */
function butterfliesOfFour(
  { real, imaginary }: Complex,
  to: Complex,
  twiddles: Complex,
  stride: number,
): void {
  const distance = real.length / 4;
  for (let at = 0; at < distance; at++) {
    const group = at - (at % stride);
    const x0 = real[at] as number;
    const y0 = imaginary[at] as number;
    const x1 = real[at + distance] as number;
    const y1 = imaginary[at + distance] as number;
    const x2 = real[at + 2 * distance] as number;
    const y2 = imaginary[at + 2 * distance] as number;
    const x3 = real[at + 3 * distance] as number;
    const y3 = imaginary[at + 3 * distance] as number;
    const out = at + 3 * group;
    to.real[out] = x0 + x1 + x2 + x3;
    to.imaginary[out] = y0 + y1 + y2 + y3;
    writeTwiddled(to, out + stride, x0 + y1 - x2 - y3, y0 - x1 - y2 + x3, twiddles, group);
    writeTwiddled(to, out + 2 * stride, x0 - x1 + x2 - x3, y0 - y1 + y2 - y3, twiddles, 2 * group);
    writeTwiddled(to, out + 3 * stride, x0 - y1 - x2 + y3, y0 + x1 - y2 - x3, twiddles, 3 * group);
  }
}

function writeTwiddled(to: Complex, at: number, x: number, y: number, twiddles: Complex, k: number): void {
  const cosine = twiddles.real[k] as number;
  const sine = twiddles.imaginary[k] as number;
  to.real[at] = x * cosine - y * sine;
  to.imaginary[at] = x * sine + y * cosine;
}

/** A real signal's spectrum is symmetric, which tells the two apart. */
function separatePowers(
  { real, imaginary }: Complex,
  size: number,
): { first: Float64Array; second: Float64Array } {
  const bins = size / 2 + 1;
  const powers = { first: new Float64Array(bins), second: new Float64Array(bins) };
  for (let bin = 0; bin < bins; bin++) {
    const mirror = (size - bin) % size;
    const [x, mirrorX] = [real[bin] as number, real[mirror] as number];
    const [y, mirrorY] = [imaginary[bin] as number, imaginary[mirror] as number];
    powers.first[bin] = ((x + mirrorX) ** 2 + (y - mirrorY) ** 2) / 4;
    powers.second[bin] = ((y + mirrorY) ** 2 + (mirrorX - x) ** 2) / 4;
  }
  return powers;
}

function radicesOf(size: number): number[] {
  const radices: number[] = [];
  let rest = size;
  for (const radix of [4, 2, 3, 5]) {
    for (; rest % radix === 0; rest /= radix) radices.push(radix);
  }
  if (rest !== 1) throw new Error(`no transform of ${size} points`);
  return radices;
}
