/** What is in a media file, as its headers say. The decoder has the last word on all of it. */
import { isAbsolute } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { findProgram } from '../platform/process/program.ts';
import { type Confinement, isSandboxFault, type Sandbox } from '../platform/process/sandbox.ts';
import { type FinishedProcess, runProcess } from '../platform/process/subprocess.ts';
import {
  decoderNiceness,
  inputFlags,
  probeCpuSecondsMax,
  processLimits,
  sampleRateMin,
} from './decode-limits.ts';
import { MediaFailure } from './media-failure.ts';
import { statedWavSeconds } from './wav-length.ts';

export interface MediaPrograms {
  ffmpeg: string;
  ffprobe: string;
  /** Where they run; undefined on a machine that cannot confine programs. */
  sandbox?: Sandbox | undefined;
  clock: Clock;
}

export interface AudioStream {
  /** Position among all streams of the file. */
  index: number;
  codec: string;
  sampleRate: number;
  channels: number;
  /** What the container says of this stream; undefined when it says nothing it can know. */
  durationSeconds: number | undefined;
}

export interface Probed {
  container: string;
  /** Of the whole file as its header says; undefined when unknown. */
  durationSeconds: number | undefined;
  /** The stream to transcribe: the default one, else the one with most channels. */
  audio: AudioStream;
  audioStreams: readonly AudioStream[];
  hasVideo: boolean;
  /** Of the picture, where there is one. */
  videoCodec?: string | undefined;
}

const probeTimeoutMs = 30_000;
const outputBytesMax = 4 * 1024 * 1024;
const entries =
  'format=format_name,duration,start_time:stream=index,codec_type,codec_name,sample_rate,channels,duration,bit_rate' +
  ':stream_disposition=default,comment,visual_impaired,attached_pic:stream_tags=DURATION';

/** Reads the headers of a local file. Throws a MediaFailure when it is not media with usable sound. */
export async function probe(
  programs: MediaPrograms,
  file: string,
  options: { signal?: AbortSignal } = {},
): Promise<Probed> {
  if (!isAbsolute(file)) throw new Error('the path of a media file must be absolute');
  const timeout = programs.clock.timeout(probeTimeoutMs);
  const finished = await runProcess({
    command: programs.ffprobe,
    args: ['-v', 'warning', ...inputFlags, '-show_entries', entries, '-of', 'json', '-i', `file:${file}`],
    limits: { ...processLimits, cpuSeconds: probeCpuSecondsMax },
    niceness: decoderNiceness,
    ...(await confinementFor(programs, programs.ffprobe, file)),
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    outputBytesMax,
  });
  options.signal?.throwIfAborted();
  if (timeout.aborted) throw new MediaFailure('decode_timeout');
  const probed = probedFrom(finished);
  if (probed.container !== 'wav') return probed;
  const stated = await statedWavSeconds(file);
  return stated === undefined ? probed : { ...probed, audio: { ...probed.audio, durationSeconds: stated } };
}

/** Only this one file, read only. */
export async function confinementFor(
  { sandbox }: MediaPrograms,
  command: string,
  file: string,
): Promise<{ confinement?: Confinement }> {
  if (!sandbox) return {};
  const program = await findProgram([command]);
  return { confinement: { sandbox, program: program?.files ?? [], readable: [file] } };
}

interface ProbeOutput {
  format?: { format_name?: string; duration?: string; start_time?: string };
  streams?: ProbeStream[];
}

interface ProbeStream {
  index: number;
  codec_type?: string;
  codec_name?: string;
  sample_rate?: string;
  channels?: number;
  duration?: string;
  bit_rate?: string;
  disposition?: Record<string, number>;
  tags?: Record<string, string>;
}

function probedFrom({ code, signal, stdout, stderr }: FinishedProcess): Probed {
  const cause = stderr.slice(-2_000);
  // Ended by its limits or the machine's, or crashed; in a sandbox that shows as 128 and the signal's number.
  if (signal !== null || (code !== null && [137, 139, 152].includes(code))) {
    throw new MediaFailure('decode_resource_limit', { cause });
  }
  if (code === 126 || code === 127 || isSandboxFault(stderr))
    throw new Error(`ffprobe could not be started: ${cause}`);
  if (code !== 0) {
    // The index of an mp4 often stands at its end: without it nothing of the rest can be decoded.
    if (/moov atom not found/.test(stderr)) throw new MediaFailure('media_truncated', { cause });
    // What could not be allocated came from the file's own absurd claims, or from a limit too low for it.
    throw new MediaFailure('media_unreadable', { cause });
  }
  const output = JSON.parse(stdout.toString('utf8') || '{}') as ProbeOutput;
  const streams = output.streams ?? [];
  const audio = streams.filter((stream) => stream.codec_type === 'audio');
  const [best] = audio.toSorted(byPreference);
  if (streams.length === 0) throw new MediaFailure('media_unreadable', { cause });
  if (!best) throw new MediaFailure('media_no_audio');
  // Guesses from the bit rate are no basis for calling a file truncated.
  const guessed = stderr.includes('Estimating duration from bitrate');
  // Matroska states where things end, counted from zero even when the file begins later.
  const isMatroska = output.format?.format_name?.includes('matroska') ?? false;
  const late = isMatroska ? (seconds(output.format?.start_time) ?? 0) : 0;
  const audioStreams = audio.map((stream) => audioStream(stream, guessed, late));
  const chosen = audioStream(best, guessed, late);
  if (chosen.sampleRate < sampleRateMin || chosen.channels < 1) {
    throw new MediaFailure('media_unreadable', {
      cause: `${chosen.sampleRate} Hz, ${chosen.channels} channels`,
    });
  }
  const video = streams.find((stream) => stream.codec_type === 'video' && !stream.disposition?.attached_pic);
  return {
    container: output.format?.format_name ?? '',
    durationSeconds: guessed ? undefined : less(seconds(output.format?.duration), late),
    audio: chosen,
    audioStreams,
    hasVideo: video !== undefined,
    videoCodec: video?.codec_name,
  };
}

function byPreference(a: ProbeStream, b: ProbeStream): number {
  return (
    sideTrack(a) - sideTrack(b) ||
    (b.disposition?.default ?? 0) - (a.disposition?.default ?? 0) ||
    (b.channels ?? 0) - (a.channels ?? 0) ||
    Number(b.bit_rate ?? 0) - Number(a.bit_rate ?? 0) ||
    a.index - b.index
  );
}

/** A commentary or a description for the blind is not what the user came for. */
function sideTrack({ disposition }: ProbeStream): number {
  return disposition?.comment || disposition?.visual_impaired ? 1 : 0;
}

function audioStream(stream: ProbeStream, guessed: boolean, late: number): AudioStream {
  const stated = seconds(stream.duration) ?? less(clockSeconds(stream.tags?.DURATION), late);
  return {
    index: stream.index,
    codec: stream.codec_name ?? 'unknown',
    sampleRate: Number(stream.sample_rate ?? 0),
    channels: stream.channels ?? 0,
    durationSeconds: guessed ? undefined : stated,
  };
}

function less(duration: number | undefined, late: number): number | undefined {
  return duration === undefined ? undefined : Math.max(duration - late, 0);
}

function seconds(text: string | undefined): number | undefined {
  const value = Number(text);
  return text !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}

/** Matroska keeps the length of a stream as `00:00:17.902000000`. */
function clockSeconds(text: string | undefined): number | undefined {
  const parts = /^(\d+):(\d\d):(\d\d(?:\.\d+)?)$/.exec(text ?? '');
  return parts
    ? seconds(String(Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3])))
    : undefined;
}
