/** What people do to lines, as changes of a draft. */
import type { Change } from './draft.ts';
import type { Line } from './line.ts';

/** The shortest a line can be: below this it cannot be split. */
const lineMsMin = 2;

/** The line until the place, and a new one from there. Undefined where one of them would be empty. */
export function splitChanges(
  line: Line,
  { offset, atMs, newId }: { offset: number; atMs: number; newId: string },
): Change[] | undefined {
  const [before, after] = [line.text.slice(0, offset).trimEnd(), line.text.slice(offset).trimStart()];
  if (before === '' || after === '' || line.endMs - line.startMs < lineMsMin) return undefined;
  const middleMs = Math.min(line.endMs - 1, Math.max(line.startMs + 1, Math.round(atMs)));
  return [
    { id: line.id, after: { ...line, text: before, endMs: middleMs } },
    { id: newId, after: { ...line, text: after, startMs: middleMs } },
  ];
}

/** Two lines as one, in the place of the first. */
export function joinChanges(first: Line, second: Line): Change[] {
  const text = [first.text.trimEnd(), second.text.trimStart()].filter(Boolean).join(' ');
  return [
    { id: first.id, after: { ...first, text, endMs: Math.max(first.endMs, second.endMs) } },
    { id: second.id, after: null },
  ];
}

/** Later, or earlier when negative; nothing begins before the recording. */
export function shiftChanges(lines: readonly Line[], byMs: number): Change[] {
  const shift = Math.max(byMs, -Math.min(...lines.map(({ startMs }) => startMs)));
  return lines.map((line) => ({
    id: line.id,
    after: { ...line, startMs: line.startMs + shift, endMs: line.endMs + shift },
  }));
}

export function speakerChanges(lines: readonly Line[], speaker: string | null): Change[] {
  return lines.map((line) => ({ id: line.id, after: { ...line, speaker } }));
}

/** The lines around this one that the same person says without another in between. */
export function passageOf(lines: readonly Line[], index: number): Line[] {
  const speaker = lines[index]?.speaker;
  let from = index;
  let to = index;
  while (from > 0 && lines[from - 1]?.speaker === speaker) from -= 1;
  while (to + 1 < lines.length && lines[to + 1]?.speaker === speaker) to += 1;
  return lines.slice(from, to + 1);
}

/** The line that is said at a time, or the last one before it. */
export function indexAt(lines: readonly Line[], ms: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle]?.startMs ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}
