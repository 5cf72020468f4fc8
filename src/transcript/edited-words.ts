/** The words of a line that somebody edited, with times: those the machine heard keep theirs, and its confidence. */
import { segmentWords } from './segment-words.ts';
import type { TranscriptWord } from './transcript-word.ts';

export interface EditedLine {
  startMs: number;
  endMs: number;
  text: string;
  /** As shown, where somebody is known. */
  speaker?: string | number | null;
}

/** Above this the alignment is left out: a line of a thousand words was imported, not spoken. */
const cellsMax = 1_000_000;

/** `heard` are the machine's words in order, also those before and after the line. */
export function editedWords(line: EditedLine, heard: readonly TranscriptWord[]): TranscriptWord[] {
  const { startMs, endMs, text, speaker } = line;
  const spread = segmentWords([
    { start: startMs / 1000, end: endMs / 1000, text, ...(speaker == null ? {} : { speaker }) },
  ]);
  const own = heard.filter(([, from, to]) => (from + to) / 2 >= startMs && (from + to) / 2 <= endMs);
  const matches = matchedPairs(spread.map(keyOf), own.map(keyOf));
  if (matches.length === 0) return spread;
  return withTimes(spread, own, matches, line);
}

function keyOf([text]: TranscriptWord): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '') || text.trim();
}

/** Pairs of places of the longest common subsequence. */
function matchedPairs(a: readonly string[], b: readonly string[]): [number, number][] {
  if (a.length * b.length > cellsMax) return [];
  const width = b.length + 1;
  const lengths = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0);
  const pairs: [number, number][] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) i++;
    else j++;
  }
  return pairs;
}

/** Words between two that were found share the time between these, by their letters. */
function withTimes(
  words: readonly TranscriptWord[],
  heard: readonly TranscriptWord[],
  matches: readonly [number, number][],
  { startMs, endMs }: EditedLine,
): TranscriptWord[] {
  const clamped = (ms: number) => Math.min(endMs, Math.max(startMs, ms));
  const timed: TranscriptWord[] = [];
  let next = 0;
  const spreadUntil = (at: number, untilMs: number) => {
    const run = words.slice(next, at);
    const letters = run.reduce((sum, [text]) => sum + text.trim().length, 0);
    let fromMs = timed.at(-1)?.[2] ?? startMs;
    const roomMs = Math.max(0, untilMs - fromMs);
    for (const [text, , , ...speaker] of run) {
      const toMs = Math.round(fromMs + (roomMs * text.trim().length) / Math.max(1, letters));
      timed.push([text, fromMs, toMs, ...speaker]);
      fromMs = toMs;
    }
    next = at;
  };
  for (const [i, j] of matches) {
    const [, from = startMs, to = endMs, , confidence] = heard[j] ?? ['', startMs, endMs];
    spreadUntil(i, clamped(from));
    const [text = '', , , speaker] = words[i] ?? ['', 0, 0];
    if (confidence !== undefined) timed.push([text, clamped(from), clamped(to), speaker ?? null, confidence]);
    else if (speaker === undefined) timed.push([text, clamped(from), clamped(to)]);
    else timed.push([text, clamped(from), clamped(to), speaker]);
    next = i + 1;
  }
  spreadUntil(words.length, endMs);
  return timed;
}
