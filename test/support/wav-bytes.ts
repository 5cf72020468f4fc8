/** A real WAV file of the given length in seconds: 16 kHz, mono, a quiet tone; silence with amplitude 0. */
export function wavBytes(seconds: number, amplitude = 3000): Buffer<ArrayBuffer> {
  const samples = Math.round(seconds * 16_000);
  const tone = Buffer.alloc(samples * 2);
  for (let at = 0; at < samples; at += 1) {
    tone.writeInt16LE(Math.round(amplitude * Math.sin(at / 5)), at * 2);
  }
  return wavOf(tone);
}

/** Samples of 16 bit, 16 kHz, mono as a WAV file. */
export function wavOf(content: Buffer): Buffer<ArrayBuffer> {
  const samples = content.length / 2;
  const bytes = Buffer.alloc(44 + samples * 2);
  bytes.write('RIFF', 0);
  bytes.writeUInt32LE(36 + samples * 2, 4);
  bytes.write('WAVEfmt ', 8);
  bytes.writeUInt32LE(16, 16);
  bytes.writeUInt16LE(1, 20);
  bytes.writeUInt16LE(1, 22);
  bytes.writeUInt32LE(16_000, 24);
  bytes.writeUInt32LE(32_000, 28);
  bytes.writeUInt16LE(2, 32);
  bytes.writeUInt16LE(16, 34);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples * 2, 40);
  content.copy(bytes, 44);
  return bytes;
}
