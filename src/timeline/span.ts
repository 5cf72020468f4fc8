/** Samples of the whole recording at 16 kHz: `startSample` belongs to it, `endSample` does not. */
export interface SpeechSpan {
  startSample: number;
  endSample: number;
}
