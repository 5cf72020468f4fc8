/** A conversation of two, made from one recording. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { wavBytes, wavOf } from './wav-bytes.ts';

const austen = join(import.meta.dirname, '..', 'fixtures', 'austen-880.flac');
const pauseSeconds = 0.7;
/** The reader, and the same reader with a voice a third higher. */
const voices = {
  low: 'anull',
  high: 'asetrate=16000*1.3,aresample=16000,atempo=0.769',
} as const;

function spoken(voice: keyof typeof voices): Buffer {
  const filter = ['-af', voices[voice], '-ac', '1', '-ar', '16000', '-f', 's16le', '-'];
  return execFileSync('ffmpeg', ['-v', 'error', '-i', austen, ...filter], { maxBuffer: 2 ** 24 });
}

/** One of them alone. */
export function oneVoice(voice: keyof typeof voices): Buffer<ArrayBuffer> {
  return wavOf(spoken(voice));
}

/** Both in turn; a turn is one sentence. */
export function twoVoices(turns: number): { wav: Buffer<ArrayBuffer>; turnSeconds: number } {
  const [low, high] = [spoken('low'), spoken('high')];
  const turnSeconds = Math.max(low.length, high.length) / 32_000 + pauseSeconds;
  const wav = wavBytes(turns * turnSeconds, 0);
  for (let turn = 0; turn < turns; turn += 1) {
    const at = 44 + 2 * Math.round(turn * turnSeconds * 16_000);
    (turn % 2 === 0 ? low : high).copy(wav, at);
  }
  return { wav, turnSeconds };
}
