import type { CurrentSegment, EditionSegment } from '../edition.ts';
import { speakerWithin } from '../speaker-within.ts';

/**
 * The lines of a passage after it was recognised again: the first of them keep their ids, so that whoever writes in one
 * at this moment is shown what became of it. Each is said by whoever said most of it before.
 */
export function linesAfterRerun(
  before: readonly EditionSegment[],
  heard: readonly EditionSegment[],
): Omit<CurrentSegment, 'revision'>[] {
  const after = heard.map((line, i) => ({
    ...line,
    id: before[i]?.id ?? line.id,
    speaker: speakerWithin(line, before) ?? speakerNear(line, before),
    isDeleted: false,
  }));
  return [...after, ...before.slice(heard.length).map((line) => ({ ...line, isDeleted: true }))];
}

/** For words in a pause between the lines. */
function speakerNear({ startMs }: EditionSegment, before: readonly EditionSegment[]): string | null {
  return (before.findLast((line) => line.startMs <= startMs) ?? before[0])?.speaker ?? null;
}
