/** What ffmpeg and ffprobe may read, and how much of the machine they may use. */
import type { ProcessLimits } from '../platform/process/subprocess.ts';

/**
 * Real containers only. The protocol list alone still lets a playlist that is renamed to .mp4 read other files
 * of the machine; no demuxer of this list opens a second file.
 */
const containers = [
  ...[
    'mov',
    'mp4',
    'm4a',
    '3gp',
    '3g2',
    'mj2',
    'matroska',
    'webm',
    'ogg',
    'wav',
    'w64',
    'mp3',
    'aac',
    'flac',
  ],
  ...['avi', 'asf', 'amr', 'aiff', 'flv', 'mpegts', 'mpeg', 'caf', 'au', 'ac3', 'eac3', 'wv', 'tta', 'ape'],
  ...['dts'],
];

const audioDecoders = [
  ...['aac', 'aac_fixed', 'aac_latm', 'ac3', 'ac3_fixed', 'eac3', 'dca', 'truehd', 'mlp'],
  ...[
    'mp1',
    'mp1float',
    'mp2',
    'mp2float',
    'mp3',
    'mp3float',
    'mp3adu',
    'mp3adufloat',
    'mp3on4',
    'mp3on4float',
  ],
  ...['flac', 'alac', 'als', 'ape', 'tta', 'wavpack', 'vorbis', 'libvorbis', 'opus', 'libopus'],
  ...['speex', 'libspeex', 'wmav1', 'wmav2', 'wmapro', 'wmalossless', 'wmavoice', 'amrnb', 'amrwb'],
  ...['libopencore_amrnb', 'libopencore_amrwb', 'gsm', 'gsm_ms', 'libgsm', 'libgsm_ms', 'g722', 'g723_1'],
  ...[
    'g726',
    'g726le',
    'ilbc',
    'qcelp',
    'evrc',
    'qdm2',
    'qdmc',
    'mace3',
    'mace6',
    'nellymoser',
    'truespeech',
  ],
  ...['adpcm_ima_wav', 'adpcm_ima_qt', 'adpcm_ms', 'adpcm_swf', 'adpcm_yamaha', 'adpcm_g722', 'adpcm_g726'],
  ...['dvaudio', 's302m', 'pcm_alaw', 'pcm_mulaw', 'pcm_bluray', 'pcm_dvd', 'pcm_s8', 'pcm_u8', 'pcm_s16le'],
  ...['pcm_s16be', 'pcm_s24le', 'pcm_s24be', 'pcm_s32le', 'pcm_s32be', 'pcm_s64le', 'pcm_s64be', 'pcm_u16le'],
  ...['pcm_u16be', 'pcm_u24le', 'pcm_u24be', 'pcm_u32le', 'pcm_u32be', 'pcm_f32le', 'pcm_f32be', 'pcm_f64le'],
  ...['pcm_f64be', 'pcm_f16le', 'pcm_f24le', 'pcm_s8_planar', 'pcm_s16le_planar', 'pcm_s16be_planar'],
  ...['pcm_s24le_planar', 'pcm_s32le_planar'],
];

/** Input options of both programs. ffprobe must not get a codec list: version 5.1 then fails on any video. */
export const inputFlags: readonly string[] = [
  ...['-protocol_whitelist', 'file', '-format_whitelist', containers.join(',')],
  ...['-probesize', '10M', '-analyzeduration', '20M', '-max_streams', '64'],
];

export const decoderFlags: readonly string[] = ['-codec_whitelist', audioDecoders.join(',')];

/** A decode was seen to need 58 MB; address space counts shared libraries too, so a tight limit would hit those. */
export const processLimits: ProcessLimits = {
  memoryBytes: 1_073_741_824,
  cpuSeconds: 3_600,
  fileBytes: 0,
  openFiles: 64,
};

export const probeCpuSecondsMax = 60;
/** Well below the service itself, so that requests are answered while media are decoded. */
export const decoderNiceness = 10;
/** Below this no speech can be understood; absurd headers (1 Hz) claim days of audio. */
export const sampleRateMin = 4_000;
