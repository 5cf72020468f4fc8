/** Sound for tests: recordings of test/fixtures and what ffmpeg can make, as the samples that speech works on. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const output = ['-ar', '16000', '-ac', '1', '-f', 's16le', 'pipe:1'];
const bytesMax = 512 * 2 ** 20;

export async function fixtureSamples(name: string): Promise<Buffer> {
  return samplesFrom(['-i', join(import.meta.dirname, '..', 'fixtures', name)]);
}

/** `source` is a source of ffmpeg's filters, such as `anoisesrc=c=pink`. */
export async function madeSamples(source: string, seconds: number, filter = 'anull'): Promise<Buffer> {
  return samplesFrom(['-f', 'lavfi', '-t', String(seconds), '-i', source, '-af', filter]);
}

/** A sentence in the voice of espeak-ng, which ./setup installs: the languages of which there is no recording here. */
export async function spokenSamples(language: string, sentence: string): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-spoken-'));
  try {
    const file = join(directory, 'spoken.wav');
    await run('espeak-ng', ['-v', language, '-s', '140', '-w', file, sentence]);
    return await samplesFrom(['-i', file]);
  } finally {
    await rm(directory, { recursive: true });
  }
}

export function silence(seconds: number): Buffer {
  return Buffer.alloc(Math.round(seconds * 16_000) * 2);
}

/** In pieces of an odd size, as a pipe gives them. */
export async function* inPieces(samples: Buffer, pieceBytes = 65_537): AsyncGenerator<Buffer> {
  for (let at = 0; at < samples.length; at += pieceBytes) yield samples.subarray(at, at + pieceBytes);
}

async function samplesFrom(input: string[]): Promise<Buffer> {
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-nostdin', ...input, ...output], {
    encoding: 'buffer',
    maxBuffer: bytesMax,
  });
  return stdout;
}
