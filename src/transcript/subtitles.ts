/** A transcript as subtitle files. */
import type { Segment } from './segment.ts';

export function srt(segments: readonly Segment[]): string {
  return segments
    .map(
      ({ start, end, text }, index) =>
        `${index + 1}\n${time(start, ',')} --> ${time(end, ',')}\n${oneCue(text)}\n`,
    )
    .join('\n');
}

export function vtt(segments: readonly Segment[]): string {
  const cues = segments.map(({ start, end, text, speaker }) => {
    const voice = speaker === undefined ? '' : `<v Speaker ${speaker}>`;
    return `\n${time(start, '.')} --> ${time(end, '.')}\n${voice}${escaped(oneCue(text))}\n`;
  });
  return `WEBVTT\n${cues.join('')}`;
}

function time(seconds: number, decimalMark: ',' | '.'): string {
  const ms = Math.round(seconds * 1000);
  const part = (value: number, digits: number) => String(value).padStart(digits, '0');
  const clock = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${clock.map((value) => part(value, 2)).join(':')}${decimalMark}${part(ms % 1000, 3)}`;
}

/** An empty line would end the cue, and an arrow would begin another. */
function oneCue(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replaceAll('-->', '→')
    .trim();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
