/** A transcript as subtitle files. */

import { speakerLabel } from '../speaker-label.ts';
import type { TranscriptWord } from '../transcript-word.ts';
import { type CueLimits, defaultCueLimits } from './cue-lines.ts';
import { type Cue, subtitleCues } from './subtitle-cues.ts';

export function srt(words: readonly TranscriptWord[], limits: CueLimits = defaultCueLimits): string {
  return subtitleCues(labelledTurns(words), limits)
    .map((cue, index) => `${index + 1}\n${times(cue, ',')}\n${cue.lines.map(plain).join('\n')}\n`)
    .join('\n');
}

export function vtt(words: readonly TranscriptWord[], limits: CueLimits = defaultCueLimits): string {
  const cues = subtitleCues(words, limits).map((cue) => {
    const voice = cue.speaker === undefined ? '' : `<v ${escaped(plain(speakerLabel(cue.speaker)))}>`;
    return `\n${times(cue, '.')}\n${voice}${cue.lines.map((line) => escaped(plain(line))).join('\n')}\n`;
  });
  return `WEBVTT\n${cues.join('')}`;
}

/** SRT has no field for a speaker, so each turn begins with one; a subtitle begins there in any case. */
function labelledTurns(words: readonly TranscriptWord[]): TranscriptWord[] {
  return words.map((word, i) => {
    const [text, startMs, endMs, speaker] = word;
    if (speaker == null || speaker === words[i - 1]?.[3]) return word;
    return [` ${speakerLabel(speaker)}: ${text.trim()}`, startMs, endMs, speaker];
  });
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
