/** The service's own subtitles, from the segments of a transcription: two lines of 42 characters, long enough to be read. */
import { segmentWords } from '../../../src/transcript/segment-words.ts';
import { srt as srtOfWords, vtt as vttOfWords } from '../../../src/transcript/subtitle/subtitles.ts';

/** As transcriptions have it. Said again here: an import would split the types of the package into three files. */
interface Segment {
  start: number;
  end: number;
  text: string;
  speaker?: number | string | undefined;
}

export function srt(segments: readonly Segment[]): string {
  return srtOfWords(segmentWords(segments.map(plain)));
}

export function vtt(segments: readonly Segment[]): string {
  return vttOfWords(segmentWords(segments.map(plain)));
}

function plain({ speaker, ...segment }: Segment) {
  return speaker === undefined ? segment : { ...segment, speaker };
}
