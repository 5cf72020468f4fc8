/** A transcript as subtitle files. */
import { type Cue, subtitleCues } from './subtitle-cues.ts';
import type { TranscriptWord } from './transcript-word.ts';

export function srt(words: readonly TranscriptWord[]): string {
  return subtitleCues(words)
    .map((cue, index) => `${index + 1}\n${times(cue, ',')}\n${cue.lines.map(plain).join('\n')}\n`)
    .join('\n');
}

export function vtt(words: readonly TranscriptWord[]): string {
  const cues = subtitleCues(words).map((cue) => {
    const voice = cue.speaker === undefined ? '' : `<v Speaker ${cue.speaker}>`;
    return `\n${times(cue, '.')}\n${voice}${cue.lines.map((line) => escaped(plain(line))).join('\n')}\n`;
  });
  return `WEBVTT\n${cues.join('')}`;
}

function times({ startMs, endMs }: Cue, decimalMark: ',' | '.'): string {
  return `${time(startMs, decimalMark)} --> ${time(endMs, decimalMark)}`;
}

function time(ms: number, decimalMark: ',' | '.'): string {
  const part = (value: number, digits: number) => String(value).padStart(digits, '0');
  const clock = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${clock.map((value) => part(value, 2)).join(':')}${decimalMark}${part(ms % 1000, 3)}`;
}

/** An arrow would begin another cue. */
function plain(line: string): string {
  return line.replaceAll('-->', '→');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
