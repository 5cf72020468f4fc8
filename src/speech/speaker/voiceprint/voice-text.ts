/** Voices in a form that is small in a database: 128 bytes instead of 128 numbers of ten characters. */
import { unitLength, type VoiceVector } from './voice-vector.ts';

const largest = 127;

/** The longest side becomes 127; the length is lost, the direction kept to a cosine of 0.9999. */
export function voiceText(voice: VoiceVector): string {
  let most = 0;
  for (const value of voice) most = Math.max(most, Math.abs(value));
  const scale = most === 0 ? 0 : largest / most;
  return Buffer.from(Int8Array.from(voice, (value) => Math.round(value * scale)).buffer).toString('base64');
}

export function voiceOf(text: string): VoiceVector {
  const bytes = Buffer.from(text, 'base64');
  return unitLength(Float32Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)));
}
