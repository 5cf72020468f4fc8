/** A new measurement counts this much against those before it. */
const weight = 0.2;
/** Shorter stretches say little. */
const stretchMs = 250;

/** Bytes a second, smoothed so that the time left does not jump. */
export class TransferRate {
  #bytes: number | undefined;
  #atMs = 0;
  #rate = 0;

  after(bytesSent: number, nowMs: number): number {
    if (this.#bytes === undefined) {
      this.#bytes = bytesSent;
      this.#atMs = nowMs;
      return 0;
    }
    const spentMs = nowMs - this.#atMs;
    if (spentMs < stretchMs) return this.#rate;
    const current = (Math.max(0, bytesSent - this.#bytes) * 1000) / spentMs;
    this.#rate = this.#rate === 0 ? current : this.#rate * (1 - weight) + current * weight;
    this.#bytes = bytesSent;
    this.#atMs = nowMs;
    return this.#rate;
  }
}
