/** A local media file as 16 kHz mono samples, streamed at the pace of the reader. */
import { isAbsolute } from 'node:path';
import type { Readable } from 'node:stream';
import { isSandboxFault } from '../platform/process/sandbox.ts';
import { type ProcessExit, type RunningProcess, startProcess } from '../platform/process/subprocess.ts';
import { bytesPerSample } from '../timeline/pcm-samples.ts';
import { sampleRate } from '../timeline/sample-rate.ts';
import { decoderFlags, decoderNiceness, inputFlags, processLimits } from './decode-limits.ts';
import { MediaFailure } from './media-failure.ts';
import { confinementFor, type MediaPrograms, type Probed, probe } from './probe.ts';

export interface DecodeOptions {
  /** More audio than this is `media_too_long`. */
  durationSecondsMax: number;
  /** The result of `probe` when the caller has it already. */
  probed?: Probed;
  signal?: AbortSignal;
}

export interface DecodedLength {
  samples: number;
  durationSeconds: number;
  /** Set when the file was cut off: what could be decoded is all there is, and the length that the file states. */
  truncated: Truncation | null;
}

export interface Truncation {
  /** Null when the file states no length of its own. */
  statedSeconds: number | null;
}

export interface Decoded {
  /** s16le, 16 kHz, mono; whole samples in every buffer. Throws a MediaFailure when nothing can be decoded. */
  audio: AsyncIterable<Buffer>;
  /** Resolves after the last buffer was read; rejects with what `audio` throws. */
  finished: Promise<DecodedLength>;
}

/** A decoder that gives nothing for so long is stuck; ordinary media gives its first samples within a second. */
const stallTimeoutMs = 60_000;
/** Less than this part of the stated length means that the file was cut off. */
const wholeShare = 0.9;
/** ffmpeg's exit code when more than two thirds of the frames could not be decoded. */
const exitCodeErrorRate = 69;
const stderrBytesKept = 8_192;

export function decode(programs: MediaPrograms, file: string, options: DecodeOptions): Decoded {
  if (!isAbsolute(file)) throw new Error('the path of a media file must be absolute');
  const { promise, resolve, reject } = Promise.withResolvers<DecodedLength>();
  promise.catch(() => {}); // Whoever reads `audio` has seen the failure already.
  return { audio: samplesOf(programs, file, options, resolve, reject), finished: promise };
}

/** Only this stretch of the file, as samples; at most so long. */
export async function* decodeStretch(
  programs: MediaPrograms,
  file: string,
  { fromSeconds, seconds, signal }: { fromSeconds: number; seconds: number; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const probed = await probe(programs, file, { signal });
  yield* run(programs, file, probed, { fromSeconds, seconds, signal });
}

async function* samplesOf(
  programs: MediaPrograms,
  file: string,
  options: DecodeOptions,
  resolve: (result: DecodedLength) => void,
  reject: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    const probed = options.probed ?? (await probe(programs, file, options));
    const { durationSecondsMax } = options;
    const promised = probed.audio.durationSeconds ?? probed.durationSeconds;
    if (promised !== undefined && promised > durationSecondsMax + 1) throw new MediaFailure('media_too_long');
    // One second more, so that a recording that is too long is known to be.
    const whole = { fromSeconds: 0, seconds: durationSecondsMax + 1, signal: options.signal };
    const length = yield* run(programs, file, probed, whole);
    if (length.durationSeconds > durationSecondsMax) throw new MediaFailure('media_too_long');
    resolve(length);
  } catch (error) {
    reject(error);
    throw error;
  } finally {
    reject(new Error('the reader left before the end of the audio'));
  }
}

async function* run(
  programs: MediaPrograms,
  file: string,
  probed: Probed,
  { signal, ...stretch }: Stretch & { signal: AbortSignal | undefined },
): AsyncGenerator<Buffer, DecodedLength> {
  const confinement = await confinementFor(programs, programs.ffmpeg, file);
  signal?.throwIfAborted();
  const decoder = startProcess({
    command: programs.ffmpeg,
    args: ffmpegArguments(file, probed.audio.index, stretch),
    limits: processLimits,
    niceness: decoderNiceness,
    ...confinement,
    ...(signal ? { signal } : {}),
  });
  decoder.exited.catch(() => {});
  const complaints = tailOf(decoder.stderr);
  let bytes = 0;
  try {
    for await (const chunk of wholeSamples(unstalled(decoder, programs))) {
      bytes += chunk.length;
      yield chunk;
    }
    const exit = await decoder.exited;
    signal?.throwIfAborted();
    return decodedLength(exit, bytes / bytesPerSample, probed, complaints());
  } finally {
    decoder.kill();
    decoder.stdout.destroy();
    decoder.stderr.destroy();
  }
}

interface Stretch {
  fromSeconds: number;
  seconds: number;
}

function ffmpegArguments(file: string, streamIndex: number, { fromSeconds, seconds }: Stretch): string[] {
  return [
    ...['-hide_banner', '-nostdin', '-v', 'error', '-threads', '1', '-filter_threads', '1'],
    // Even a seek to the beginning costs some formats their first samples.
    ...(fromSeconds === 0 ? [] : ['-ss', String(fromSeconds)]),
    ...['-vn', '-sn', '-dn', ...inputFlags, ...decoderFlags, '-i', `file:${file}`],
    ...['-map', `0:${streamIndex}`, '-vn', '-sn', '-dn', '-map_metadata', '-1', '-map_chapters', '-1'],
    ...[
      '-t',
      String(seconds),
      '-af',
      `aresample=${sampleRate}:first_pts=0`,
      '-ac',
      '1',
      '-ar',
      String(sampleRate),
    ],
    // Not packet by packet: each piece costs its reader more than its bytes do.
    ...['-flush_packets', '0', '-f', 's16le', 'pipe:1'],
  ];
}

/** Reads the decoder's output; when it gives nothing for too long while we wait, ends it. */
async function* unstalled(decoder: RunningProcess, { clock }: MediaPrograms): AsyncGenerator<Buffer> {
  let waitingSince: number | undefined = clock.now();
  let stalled = false;
  const stop = clock.every(1_000, () => {
    if (waitingSince === undefined || clock.now() - waitingSince < stallTimeoutMs) return;
    stalled = true;
    decoder.kill();
  });
  try {
    for await (const chunk of decoder.stdout as AsyncIterable<Buffer>) {
      waitingSince = undefined;
      yield chunk;
      waitingSince = clock.now();
    }
  } finally {
    stop();
  }
  if (stalled) throw new MediaFailure('decode_timeout');
}

/** A pipe may cut a sample in two: hold the odd byte back for the next buffer. */
async function* wholeSamples(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer | undefined;
  for await (const chunk of chunks) {
    const joined: Buffer = held ? Buffer.concat([held, chunk]) : chunk;
    const whole = joined.length - (joined.length % bytesPerSample);
    held = whole < joined.length ? joined.subarray(whole) : undefined;
    if (whole > 0) yield joined.subarray(0, whole);
  }
}

/** Exit code 0 does not mean whole, nor another one useless: a damaged middle is decoded around. */
function decodedLength(
  exit: ProcessExit,
  samples: number,
  probed: Probed,
  complaints: string,
): DecodedLength {
  const cause = `exit ${exit.code ?? exit.signal}, ${samples} samples: ${complaints}`;
  if (exit.code === 126 || exit.code === 127 || isSandboxFault(complaints))
    throw new Error(`ffmpeg could not be started: ${cause}`);
  if (endedBySignal(exit)) {
    throw new MediaFailure('decode_resource_limit', { cause });
  }
  if (/Cannot allocate memory/.test(complaints) && exit.code !== 0) {
    throw new MediaFailure('decode_resource_limit', { cause });
  }
  if (samples === 0 || exit.code === exitCodeErrorRate) throw new MediaFailure('media_unreadable', { cause });
  const durationSeconds = samples / sampleRate;
  const whole = expectedSeconds(probed, complaints);
  const isShort = whole !== undefined && durationSeconds < whole * wholeShare;
  const truncated = isShort || exit.code !== 0 ? { statedSeconds: whole ?? null } : null;
  return { samples, durationSeconds, truncated };
}

/** By the limits, or a crash. Within a sandbox the signal comes as 128 and its number. */
function endedBySignal({ code, signal }: ProcessExit): boolean {
  return signal !== null || (code !== null && [137, 139, 152].includes(code));
}

/**
 * The length that the audio should have. The whole file's length counts only where nothing else could fill it
 * (no video), or where the reader saw the file end before its time.
 */
function expectedSeconds(probed: Probed, complaints: string): number | undefined {
  if (probed.audio.durationSeconds !== undefined) return probed.audio.durationSeconds;
  const endedEarly = /ended prematurely|Truncat|Invalid data found when processing input/i.test(complaints);
  return probed.hasVideo && !endedEarly ? undefined : probed.durationSeconds;
}

function tailOf(stream: Readable): () => string {
  let kept = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    kept = (kept + text).slice(-stderrBytesKept);
  });
  stream.on('error', () => {});
  return () => kept;
}
