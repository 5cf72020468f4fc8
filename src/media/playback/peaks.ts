/** The waveform of a recording: lowest and highest sample of each tenth of a second, as bytes. */
import { int16Samples } from '../../timeline/pcm-samples.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';

export const peaksPerSecond = 10;
const samplesPerPeak = sampleRate / peaksPerSecond;
const overviewPointsMax = 4_000;
const headerBytes = 16;
const magic = 'LPK1';
/** An hour; it grows by as much again. Ten hours are 720 kB. */
const growthPeaks = 3_600 * peaksPerSecond;

/** Takes samples as they are decoded. */
export class PeakCollector {
  #pairs = new Int8Array(2 * growthPeaks);
  #count = 0;
  #low = 0;
  #high = 0;
  #samples = 0;

  add(pcm: Buffer): void {
    for (const sample of int16Samples(pcm)) {
      if (sample < this.#low) this.#low = sample;
      if (sample > this.#high) this.#high = sample;
      this.#samples += 1;
      if (this.#samples === samplesPerPeak) this.#end();
    }
  }

  /**
   * The object: `LPK1`, then three numbers of four bytes (peaks a second, points of the overview, peaks), the overview,
   * the peaks; each a pair of signed bytes. A reader that wants the overview alone asks for the first bytes.
   */
  finish(): Buffer {
    if (this.#samples > 0) this.#end();
    const overview = overviewOf(this.#pairs, this.#count);
    const header = Buffer.alloc(headerBytes);
    header.write(magic, 'latin1');
    header.writeUInt32LE(peaksPerSecond, 4);
    header.writeUInt32LE(overview.length / 2, 8);
    header.writeUInt32LE(this.#count, 12);
    return Buffer.concat([
      header,
      Buffer.from(overview.buffer),
      Buffer.from(this.#pairs.buffer, 0, 2 * this.#count),
    ]);
  }

  #end(): void {
    if (2 * this.#count === this.#pairs.length) {
      const larger = new Int8Array(this.#pairs.length + 2 * growthPeaks);
      larger.set(this.#pairs);
      this.#pairs = larger;
    }
    this.#pairs[2 * this.#count] = this.#low >> 8;
    this.#pairs[2 * this.#count + 1] = this.#high >> 8;
    this.#count += 1;
    this.#low = 0;
    this.#high = 0;
    this.#samples = 0;
  }
}

function overviewOf(pairs: Int8Array, count: number): Int8Array<ArrayBuffer> {
  const points = Math.min(count, overviewPointsMax);
  const overview = new Int8Array(2 * points);
  for (let point = 0; point < points; point++) {
    const end = Math.floor(((point + 1) * count) / points);
    for (let at = Math.floor((point * count) / points); at < end; at++) {
      overview[2 * point] = Math.min(overview[2 * point] ?? 0, pairs[2 * at] ?? 0);
      overview[2 * point + 1] = Math.max(overview[2 * point + 1] ?? 0, pairs[2 * at + 1] ?? 0);
    }
  }
  return overview;
}
