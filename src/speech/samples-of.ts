/** Signed 16-bit little-endian. Copied, because a message's bytes may start at an odd place in memory. */
export function samplesOf(bytes: Uint8Array): Int16Array {
  const copy = new Uint8Array(bytes.length - (bytes.length % 2));
  copy.set(bytes.subarray(0, copy.length));
  return new Int16Array(copy.buffer);
}
