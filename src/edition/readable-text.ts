import type { Segment } from '../transcript/segment.ts';
import { speakerLabel } from '../transcript/speaker-label.ts';
import { type Turn, turnsOf } from './turns.ts';

/** A transcript to read: a paragraph for each turn, with its speaker and perhaps its time in front. */
export function readableText(segments: readonly Segment[], { hasTimes }: { hasTimes: boolean }): string {
  const text = turnsOf(segments)
    .map((turn) => `${opening(turn, hasTimes)}${turn.text}`)
    .join('\n\n');
  return text === '' ? '' : `${text}\n`;
}

function opening({ startSeconds, speaker }: Turn, hasTimes: boolean): string {
  const time = hasTimes ? `[${clockTime(startSeconds)}] ` : '';
  return speaker === undefined ? time : `${time}${speakerLabel(speaker)}: `;
}

/** As people read it: 0:07, 12:30, 1:02:03. */
export function clockTime(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  const two = (value: number) => String(value).padStart(2, '0');
  const rest = two(whole % 60);
  return hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}
