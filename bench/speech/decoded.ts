import { execFileSync } from 'node:child_process';
import { sampleRate } from '../../src/timeline/sample-rate.ts';

/** A recording as the samples that speech works on. */
export function decoded(file: string): Buffer {
  const args = ['-v', 'error', '-i', file, '-ac', '1', '-ar', String(sampleRate), '-f', 's16le', 'pipe:1'];
  return execFileSync('ffmpeg', args, { maxBuffer: 2 ** 31 - 1 });
}
