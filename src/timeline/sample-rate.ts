/** Samples per second of every recording inside Longhand; decoding resamples to it. */
export const sampleRate = 16_000;
