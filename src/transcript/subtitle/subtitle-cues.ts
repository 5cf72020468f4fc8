/**
 * Cuts the words of a transcript into subtitles: at most two lines each, at sentences and clauses, none too short to be
 * read. The cheapest sequence of cuts is found by dynamic programming over the words.
 */
import type { Speaker } from '../../timeline/turn.ts';
import { endsSentence } from '../sentences.ts';
import type { TranscriptWord } from '../transcript-word.ts';
import {
  type CueLimits,
  columnsOf,
  defaultCueLimits,
  layoutOf,
  lineText,
  type MeasuredWord,
  measuredWord,
} from './cue-lines.ts';
import { charactersPerSecondMax, cueMsMax, cueMsMin, endOf, type ShownCue, startAfter } from './cue-times.ts';

export interface Cue {
  startMs: number;
  endMs: number;
  /** One or two. */
  lines: string[];
  speaker?: Speaker;
}

/** Across a pause of this length no subtitle runs: its end would be read long before it is said. */
const pauseMsSplitting = 1000;
/** From here on a pause is as good for a cut as a comma. */
const pauseMsClause = 300;

/** What readers mind, each in units of one more subtitle. */
const cost = {
  cue: 1,
  insideClause: 2.5,
  clauseEnd: 0.5,
  /** One word alone, or the first or last word or two of a sentence in another subtitle than the rest. */
  orphan: 3,
  tooShort: 2,
  unreadable: 10,
  lagPerSecond: 1,
};

interface CueWord extends MeasuredWord {
  startMs: number;
  endMs: number;
  speaker: Speaker | undefined;
  endsSentence: boolean;
  /** A subtitle ends after this word in any case. */
  isLast: boolean;
  /** What it costs to end one after this word, where it may. */
  cutCost: number;
}

/** The best way to cut all words up to one of them. */
interface Path {
  cost: number;
  /** The last subtitle begins with this word. */
  from: number;
  firstLine: number;
  shown: ShownCue;
}

export function subtitleCues(
  transcriptWords: readonly TranscriptWord[],
  limits: CueLimits = defaultCueLimits,
): Cue[] {
  const words = cueWords(transcriptWords.flatMap((word) => fittingPieces(word, limits)));
  const paths: Path[] = [];
  for (let last = 0; last < words.length; last++) paths.push(cheapestPath(words, paths, last, limits));
  const cues: Cue[] = [];
  let nextStartMs: number | undefined;
  for (let last = words.length - 1; last >= 0; ) {
    const { from, firstLine, shown } = paths[last] as Path;
    const own = words.slice(from, last + 1);
    const lines = [own.slice(0, firstLine), own.slice(firstLine)].map(lineText).filter(Boolean);
    const speaker = own[0]?.speaker;
    const times = { startMs: shown.startMs, endMs: endOf(shown, nextStartMs) };
    cues.push({ ...times, lines, ...(speaker !== undefined && { speaker }) });
    nextStartMs = shown.startMs;
    last = from - 1;
  }
  return cues.reverse();
}

function cheapestPath(
  words: readonly CueWord[],
  paths: readonly Path[],
  last: number,
  limits: CueLimits,
): Path {
  let best: Path | undefined;
  for (let from = last; from >= 0; from--) {
    if (from < last && words[from]?.isLast) break;
    const own = words.slice(from, last + 1);
    const spokenMs = (own.at(-1)?.endMs ?? 0) - (own[0]?.startMs ?? 0);
    const layout = layoutOf(own, limits);
    if (best && (!layout || spokenMs > cueMsMax)) break;
    const before = paths[from - 1];
    const shown = shownCue(own, before?.shown);
    const total =
      (before ? before.cost + readingCost(before.shown, shown.startMs) : 0) +
      cueCost(own, spokenMs, words[from - 1]?.isLast ?? true) +
      (layout?.cost ?? 0) +
      (cost.lagPerSecond * (shown.startMs - (own[0]?.startMs ?? 0))) / 1000;
    const firstLine = layout?.firstLine ?? own.length;
    if (!best || total < best.cost) best = { cost: total, from, firstLine, shown };
  }
  return best as Path;
}

function shownCue(own: readonly CueWord[], before: ShownCue | undefined): ShownCue {
  const spokenFromMs = own[0]?.startMs ?? 0;
  return {
    startMs: before ? startAfter(before, spokenFromMs) : spokenFromMs,
    spokenUntilMs: own.at(-1)?.endMs ?? 0,
    characters: own.reduce((sum, word, i) => sum + word.characters + (word.hasSpace && i > 0 ? 1 : 0), 0),
  };
}

/** Known only when the next subtitle begins: how long this one can be read. */
function readingCost(shown: ShownCue, nextStartMs: number): number {
  const shownMs = endOf(shown, nextStartMs) - shown.startMs;
  const excess = (1000 * shown.characters) / Math.max(shownMs, 100) / charactersPerSecondMax - 1;
  return cost.unreadable * ((shownMs < cueMsMin ? 1 : 0) + (excess > 0 ? 0.1 + excess : 0));
}

function cueCost(own: readonly CueWord[], spokenMs: number, beginsStretch: boolean): number {
  const last = own.at(-1);
  const isWholeStretch = beginsStretch && last?.isLast === true;
  const isOrphan = own.length === 1 && !isWholeStretch;
  const isShort = spokenMs < cueMsMin && !isWholeStretch;
  return (
    cost.cue +
    (last?.isLast ? 0 : (last?.cutCost ?? 0)) +
    (isOrphan ? cost.orphan : 0) +
    (isShort ? cost.tooShort : 0) +
    fragmentCost(own)
  );
}

/** Sentences of which only a word or two stand at the beginning or the end of a subtitle. */
function fragmentCost(own: readonly CueWord[]): number {
  const firstEnd = own.findIndex((word) => word.endsSentence);
  if (firstEnd < 0) return 0;
  const after = own.length - 1 - own.findLastIndex((word) => word.endsSentence);
  const begun = after > 0 && after <= 2 && !own.at(-1)?.isLast;
  const ended = firstEnd < 2 && firstEnd < own.length - 1;
  return (begun ? cost.orphan : 0) + (ended ? cost.orphan / 3 : 0);
}

function cueWords(words: readonly TranscriptWord[]): CueWord[] {
  return words.map(([text, startMs, endMs, speaker], i) => {
    const next = words[i + 1];
    const measured = measuredWord(text);
    const pauseMs = next ? next[1] - endMs : 0;
    const isSentenceEnd = endsSentence(measured);
    const isClauseEnd = measured.splitCost === 0 || pauseMs >= pauseMsClause;
    const inside = isClauseEnd ? cost.clauseEnd : cost.insideClause * measured.splitCost;
    return {
      ...measured,
      startMs,
      endMs,
      speaker: speaker ?? undefined,
      endsSentence: isSentenceEnd,
      isLast: !next || (next[3] ?? undefined) !== (speaker ?? undefined) || pauseMs >= pauseMsSplitting,
      cutCost: isSentenceEnd ? 0 : inside,
    };
  });
}

/** A word that is longer than a line, in pieces that are not. */
function fittingPieces(word: TranscriptWord, { lineColumnsMax }: CueLimits): TranscriptWord[] {
  const [text, startMs, endMs, ...speaker] = word;
  if (columnsOf(text.trim()) <= lineColumnsMax) return [word];
  const characters = [...text];
  const size = Math.floor(lineColumnsMax / 2);
  const count = Math.ceil(characters.length / size);
  const timeAt = (piece: number) => Math.round(startMs + ((endMs - startMs) * piece) / count);
  return Array.from({ length: count }, (_, piece) => {
    const own = characters.slice(piece * size, (piece + 1) * size).join('');
    return [own, timeAt(piece), timeAt(piece + 1), ...speaker] as const;
  });
}
