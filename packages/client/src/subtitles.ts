/** The service's own subtitles, from the segments of a transcription. */
export { srt, vtt } from '../../../src/transcript/subtitles.ts';
