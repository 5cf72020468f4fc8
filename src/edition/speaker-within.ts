import type { EditionSegment } from './edition.ts';

/** Who says most of a line, by the lines of the same time. */
export function speakerWithin(line: EditionSegment, others: readonly EditionSegment[]): string | null {
  const spokenMs = new Map<string, number>();
  for (const one of others) {
    const ms = overlapMs(line, one);
    if (one.speaker !== null && ms > 0) spokenMs.set(one.speaker, (spokenMs.get(one.speaker) ?? 0) + ms);
  }
  const [most] = [...spokenMs].toSorted(([, a], [, b]) => b - a);
  return most?.[0] ?? null;
}

export function overlapMs(a: EditionSegment, b: EditionSegment): number {
  return Math.max(0, Math.min(a.endMs, b.endMs) - Math.max(a.startMs, b.startMs));
}
