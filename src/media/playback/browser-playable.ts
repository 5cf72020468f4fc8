/** Which recordings browsers play as they are: those that all of the common ones do, with their sound in one track. */
import type { Probed } from '../probe.ts';

export interface PlayableType {
  contentType: string;
  isVideo: boolean;
}

interface Family {
  container: RegExp;
  audio: ReadonlySet<string>;
  video: ReadonlySet<string>;
  /** The subtype of `audio/` and `video/`. */
  subtype: string;
}

const none: ReadonlySet<string> = new Set();
const families: readonly Family[] = [
  { container: /^mp3$/, audio: new Set(['mp3', 'mp3float']), video: none, subtype: 'mpeg' },
  { container: /^wav$/, audio: new Set(['pcm_s16le', 'pcm_u8']), video: none, subtype: 'wav' },
  { container: /^flac$/, audio: new Set(['flac']), video: none, subtype: 'flac' },
  { container: /^ogg$/, audio: new Set(['opus', 'vorbis']), video: none, subtype: 'ogg' },
  { container: /\bmp4\b/, audio: new Set(['aac', 'mp3']), video: new Set(['h264', 'av1']), subtype: 'mp4' },
  {
    container: /\bwebm\b/,
    audio: new Set(['opus', 'vorbis']),
    video: new Set(['vp8', 'vp9', 'av1']),
    subtype: 'webm',
  },
];

/** The type to serve it as; undefined where a copy is needed. */
export function browserPlayable(probed: Probed): PlayableType | undefined {
  const { container, audio, audioStreams, hasVideo, videoCodec } = probed;
  // With several tracks a browser would play another one than we transcribe.
  if (audioStreams.length !== 1) return undefined;
  const family = families.find((one) => one.container.test(container));
  if (!family?.audio.has(audio.codec)) return undefined;
  if (hasVideo && !family.video.has(videoCodec ?? '')) return undefined;
  return { contentType: `${hasVideo ? 'video' : 'audio'}/${family.subtype}`, isVideo: hasVideo };
}
