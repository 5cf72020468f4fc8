/** A real WAV file of the given length in seconds: 16 kHz, mono, a quiet tone; silence with amplitude 0. */
export function wavBytes(seconds: number, amplitude = 3000): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(Math.round(seconds * 16_000) * 2);
  return wavOf(amplitude === 0 ? bytes : bytes.fill(oneSecondOfTone(amplitude)));
}

/** 509 Hz: a whole number of waves, so that the next second goes on where this one ends. */
function oneSecondOfTone(amplitude: number): Buffer {
  const tone = Buffer.alloc(32_000);
  for (let at = 0; at < 16_000; at += 1) {
    tone.writeInt16LE(Math.round(amplitude * Math.sin((2 * Math.PI * 509 * at) / 16_000)), at * 2);
  }
  return tone;
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

/** The same recording in a file that is larger: players pass over a chunk that they do not know. */
export function withUnreadChunk(wav: Buffer, contentBytes: number): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(wav.length + 8 + contentBytes);
  wav.copy(bytes);
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('JUNK', wav.length);
  bytes.writeUInt32LE(contentBytes, wav.length + 4);
  return bytes;
}
