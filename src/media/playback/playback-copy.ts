/** A copy of a recording's sound that every browser plays, made of the samples that are decoded anyway. */
import type { Readable } from 'node:stream';
import { findProgram } from '../../platform/process/program.ts';
import { startProcess } from '../../platform/process/subprocess.ts';
import { sampleRate } from '../../timeline/sample-rate.ts';
import { decoderNiceness, processLimits } from '../decode-limits.ts';
import type { MediaPrograms } from '../probe.ts';

export const playbackCopyType = 'audio/ogg';
export const playbackCopyBytesPerSecond = 24_000 / 8;

export interface PlaybackCopy {
  /** Ogg with Opus, while it is made. Ends early with an error when the encoder fails. */
  audio: Readable;
  /** Takes s16le samples at the pace of the encoder; false when it has ended. */
  write(samples: Buffer): Promise<boolean>;
  /** No more samples; resolves when the encoder has ended well, else rejects. */
  end(): Promise<void>;
  kill(): void;
}

const complaintsMax = 4_096;

export async function startPlaybackCopy(
  { ffmpeg, sandbox }: MediaPrograms,
  signal: AbortSignal,
): Promise<PlaybackCopy> {
  const program = sandbox && ((await findProgram([ffmpeg]))?.files ?? []);
  signal.throwIfAborted();
  const encoder = startProcess({
    command: ffmpeg,
    args: [
      ...['-hide_banner', '-nostdin', '-v', 'error', '-threads', '1', '-protocol_whitelist', 'pipe'],
      ...['-f', 's16le', '-ar', String(sampleRate), '-ac', '1', '-i', 'pipe:0', '-map_metadata', '-1'],
      ...['-c:a', 'libopus', '-b:a', '24k', '-application', 'voip', '-compression_level', '5'],
      ...['-f', 'ogg', 'pipe:1'],
    ],
    limits: processLimits,
    niceness: decoderNiceness,
    ...(sandbox && program ? { confinement: { sandbox, program } } : {}),
    signal,
  });
  let complaints = '';
  encoder.stderr.on('data', (text: Buffer) => {
    complaints = (complaints + text.toString('utf8')).slice(-complaintsMax);
  });
  let hasEnded = false;
  const exited = encoder.exited.finally(() => {
    hasEnded = true;
    encoder.stdin.destroy();
  });
  exited.catch(() => {}); // Told by `end`.
  return {
    audio: encoder.stdout,
    async write(samples) {
      if (hasEnded) return false;
      if (encoder.stdin.write(samples)) return true;
      await Promise.race([drained(encoder.stdin), exited.catch(() => {})]);
      return !hasEnded;
    },
    async end() {
      encoder.stdin.end();
      const { code, signal: killedBy } = await exited;
      if (code !== 0) throw new Error(`ffmpeg made no playback copy (${code ?? killedBy}): ${complaints}`);
    },
    kill: () => encoder.kill(),
  };
}

function drained(stream: NodeJS.WritableStream): Promise<void> {
  return new Promise((resolve) => stream.once('drain', resolve));
}
