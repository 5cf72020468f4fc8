import { type CurrentSegment, type EditionSegment, machineRevision } from './edition.ts';
import { overlapMs, speakerWithin } from './speaker-within.ts';

/**
 * A transcript that was edited while it was made is complete now, perhaps with speakers and other lines than before.
 * What people changed stays; everything else becomes the machine's. Gives the lines that differ from those that stand.
 */
export function linesAtEnd(
  standing: readonly CurrentSegment[],
  machine: readonly EditionSegment[],
): Omit<CurrentSegment, 'revision'>[] {
  const kept = standing.filter(({ revision }) => revision > machineRevision);
  const keptIds = new Set(kept.map(({ id }) => id));
  const untouched = new Map(standing.filter(({ id }) => !keptIds.has(id)).map((line) => [line.id, line]));
  const wanted = machine
    .filter((line) => !isCovered(line, kept))
    .map((line) => ({ ...line, id: keptIds.has(line.id) ? `${line.id}-end` : line.id }));
  const wantedIds = new Set(wanted.map(({ id }) => id));
  return [
    ...wanted
      .filter((line) => !isSame(line, untouched.get(line.id)))
      .map((line) => ({ ...line, isDeleted: false })),
    ...[...untouched.values()]
      .filter(({ id }) => !wantedIds.has(id))
      .map((line) => ({ ...line, isDeleted: true })),
    ...kept.flatMap((line) => {
      const speaker = line.isDeleted || line.speaker !== null ? null : speakerWithin(line, machine);
      return speaker === null ? [] : [{ ...line, speaker }];
    }),
  ];
}

/** People changed or deleted the greater part of what was said here. */
function isCovered(line: EditionSegment, kept: readonly CurrentSegment[]): boolean {
  const coveredMs = kept.reduce((sum, one) => sum + overlapMs(line, one), 0);
  const lengthMs = line.endMs - line.startMs;
  return lengthMs > 0 ? coveredMs > lengthMs / 2 : kept.some(({ id }) => id === line.id);
}

function isSame(line: EditionSegment, standing: CurrentSegment | undefined): boolean {
  return (
    standing !== undefined &&
    !standing.isDeleted &&
    standing.text === line.text &&
    standing.startMs === line.startMs &&
    standing.endMs === line.endMs &&
    standing.speaker === line.speaker
  );
}
