/** The samples of every recording inside Longhand: signed 16 bit, little-endian, mono. */

export const bytesPerSample = 2;
/** The magnitude that becomes 1 as a float. */
export const fullScale = 32_768;

/** Copied only where a message's bytes start at an odd address. */
export function int16Samples(bytes: Uint8Array): Int16Array {
  if (bytes.byteOffset % bytesPerSample === 0)
    return new Int16Array(bytes.buffer, bytes.byteOffset, Math.floor(bytes.length / bytesPerSample));
  const copy = new Uint8Array(bytes.length - (bytes.length % bytesPerSample));
  copy.set(bytes.subarray(0, copy.length));
  return new Int16Array(copy.buffer);
}

/** The same, between -1 and 1. */
export function floatSamples(bytes: Uint8Array): Float32Array {
  const samples = int16Samples(bytes);
  // A loop, because `Float32Array.from` takes ten times as long.
  const floats = new Float32Array(samples.length);
  for (let i = 0; i < samples.length; i++) floats[i] = (samples[i] as number) / fullScale;
  return floats;
}
