/** When a subtitle is shown: with its words, and long enough to be read. */

export const cueMsMin = 1000;
export const cueMsMax = 7000;
export const charactersPerSecondMax = 20;
const charactersPerSecondComfortable = 17;
/** A frame between two subtitles, so that the eye sees that the text has changed. */
const gapMs = 40;
/** How long a subtitle may wait for the one before it to be read: text that comes later is taken for out of step. */
const lagMsMax = 1000;

export interface ShownCue {
  startMs: number;
  /** Of its last word. */
  spokenUntilMs: number;
  characters: number;
}

/** From when on the next subtitle is shown, whose words begin at `spokenFromMs`. */
export function startAfter(before: ShownCue, spokenFromMs: number): number {
  const earliest = before.startMs + Math.max(cueMsMin, readingMs(before, charactersPerSecondMax)) + gapMs;
  return Math.max(spokenFromMs, Math.min(Math.ceil(earliest), spokenFromMs + lagMsMax));
}

/** Until when it is shown; `nextStartMs` is undefined for the last. */
export function endOf(cue: ShownCue, nextStartMs: number | undefined): number {
  const comfortable = Math.max(cueMsMin, readingMs(cue, charactersPerSecondComfortable));
  const wanted = Math.max(cue.spokenUntilMs, Math.ceil(cue.startMs + comfortable));
  const end = Math.min(wanted, cue.startMs + cueMsMax);
  return nextStartMs === undefined ? end : Math.min(end, nextStartMs - gapMs);
}

function readingMs({ characters }: ShownCue, charactersPerSecond: number): number {
  return (1000 * characters) / charactersPerSecond;
}
