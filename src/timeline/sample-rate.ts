/** Every recording inside Longhand is signed 16-bit PCM, mono, at this rate; decoding resamples to it. */
export const sampleRate = 16_000;
export const bytesPerSample = 2;
