/** A discrete Fourier transform for any length whose prime factors are small (Whisper's is 400 = 4·4·5·5). */
export class FourierTransform {
  readonly #size: number;
  readonly #factors: number[];
  readonly #cosines: Float64Array;
  readonly #sines: Float64Array;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;
  readonly #partReal = new Float64Array(16);
  readonly #partImaginary = new Float64Array(16);

  constructor(size: number) {
    this.#size = size;
    this.#factors = factorsOf(size);
    this.#cosines = Float64Array.from({ length: size }, (_, i) => Math.cos((2 * Math.PI * i) / size));
    this.#sines = Float64Array.from({ length: size }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
    this.#real = new Float64Array(size);
    this.#imaginary = new Float64Array(size);
  }

  /** The power spectra, from 0 to half the sample rate, of two real signals. */
  powersOfTwo(first: Float64Array, second: Float64Array): { first: Float64Array; second: Float64Array } {
    this.#run({ real: first, imaginary: second, at: 0, stride: 1 }, 0, this.#size, 0);
    const bins = this.#size / 2 + 1;
    const powers = { first: new Float64Array(bins), second: new Float64Array(bins) };
    for (let bin = 0; bin < bins; bin++) {
      const mirror = (this.#size - bin) % this.#size;
      const realHere = this.#real[bin] ?? 0;
      const realThere = this.#real[mirror] ?? 0;
      const imaginaryHere = this.#imaginary[bin] ?? 0;
      const imaginaryThere = this.#imaginary[mirror] ?? 0;
      powers.first[bin] = ((realHere + realThere) ** 2 + (imaginaryHere - imaginaryThere) ** 2) / 4;
      powers.second[bin] = ((imaginaryHere + imaginaryThere) ** 2 + (realThere - realHere) ** 2) / 4;
    }
    return powers;
  }

  #run(
    input: { real: Float64Array; imaginary: Float64Array; at: number; stride: number },
    outputAt: number,
    size: number,
    depth: number,
  ): void {
    const factor = this.#factors[depth];
    if (factor === undefined) {
      this.#real[outputAt] = input.real[input.at] ?? 0;
      this.#imaginary[outputAt] = input.imaginary[input.at] ?? 0;
      return;
    }
    const part = size / factor;
    for (let r = 0; r < factor; r++) {
      const inner = { ...input, at: input.at + r * input.stride, stride: input.stride * factor };
      this.#run(inner, outputAt + r * part, part, depth + 1);
    }
    for (let j = 0; j < part; j++) this.#butterfly(outputAt + j, part, factor, (j * this.#size) / size);
  }

  #butterfly(at: number, part: number, factor: number, turn: number): void {
    for (let r = 0; r < factor; r++) {
      const cosine = this.#cosines[(r * turn) % this.#size] ?? 0;
      const sine = this.#sines[(r * turn) % this.#size] ?? 0;
      const real = this.#real[at + r * part] ?? 0;
      const imaginary = this.#imaginary[at + r * part] ?? 0;
      this.#partReal[r] = real * cosine - imaginary * sine;
      this.#partImaginary[r] = real * sine + imaginary * cosine;
    }
    const step = this.#size / factor;
    for (let q = 0; q < factor; q++) {
      let sumReal = 0;
      let sumImaginary = 0;
      for (let r = 0; r < factor; r++) {
        const cosine = this.#cosines[(r * q * step) % this.#size] ?? 0;
        const sine = this.#sines[(r * q * step) % this.#size] ?? 0;
        sumReal += (this.#partReal[r] ?? 0) * cosine - (this.#partImaginary[r] ?? 0) * sine;
        sumImaginary += (this.#partReal[r] ?? 0) * sine + (this.#partImaginary[r] ?? 0) * cosine;
      }
      this.#real[at + q * part] = sumReal;
      this.#imaginary[at + q * part] = sumImaginary;
    }
  }
}

function factorsOf(size: number): number[] {
  const factors: number[] = [];
  let rest = size;
  for (const factor of [4, 2, 3, 5, 7]) {
    while (rest % factor === 0) {
      factors.push(factor);
      rest /= factor;
    }
  }
  if (rest !== 1) throw new Error(`no transform of ${size} points`);
  return factors;
}
