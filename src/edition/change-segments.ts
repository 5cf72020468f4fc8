import type { Principal } from '../account/principal.ts';
import type { Queryable } from '../platform/database/database.ts';
import { type CurrentSegment, machineRevision, type SegmentChange, seenLive } from './edition.ts';
import { editionStore } from './edition-store.ts';
import type { OpenEdition } from './open-edition.ts';
import { type EditionDeps, type Written, writeEdition } from './write-edition.ts';

/** Somebody else was first. Nothing was written. */
export class EditConflict extends Error {
  override readonly name = 'EditConflict';
  /** What stands there now; null where there never was such a segment. */
  readonly current: readonly { id: string; segment: CurrentSegment | null }[];

  constructor(current: EditConflict['current']) {
    super('the segments were changed by somebody else');
    this.current = current;
  }
}

/**
 * Writes these segments together: an edit, a split, a join, a deletion, or what undoes one. Each names the revision it
 * was made from; when one of them has another by now nothing is written (EditConflict). A
 * segment that stands already as it is wanted never conflicts, so that a client may repeat a call whose answer was lost: it is told the same again.
 */
export async function changeSegments(
  deps: EditionDeps,
  { account }: Principal,
  { id, changes }: { id: string; changes: readonly SegmentChange[] },
): Promise<Written> {
  let unchanged: CurrentSegment[] = [];
  const ids = changes.map((change) => change.id);
  const known = changes.filter(({ base }) => base !== null).map((change) => change.id);
  const decide = async (tx: Queryable, standing: OpenEdition) => {
    const current = await editionStore.current(tx, id, ids);
    const open = changes.filter((change) => !isAsWanted(change, current.get(change.id)));
    const stale = open.filter((change) => !isMadeFrom(current.get(change.id), change.base, standing));
    if (stale.length > 0)
      throw new EditConflict(
        stale.map((change) => ({ id: change.id, segment: current.get(change.id) ?? null })),
      );
    unchanged = [...current.values()].filter(({ id }) => !open.some((change) => change.id === id));
    return { segments: open.map((change) => segmentAfter(change, current.get(change.id))) };
  };
  const written = await writeEdition(deps, { accountId: account.id, id }, decide, { lineIds: known });
  return { ...written, segments: [...written.segments, ...unchanged] };
}

function isMadeFrom(
  current: CurrentSegment | undefined,
  base: SegmentChange['base'],
  { isAsSeenLive }: OpenEdition,
): boolean {
  if (base === seenLive) return isAsSeenLive && current?.revision === machineRevision;
  return (current?.revision ?? null) === base;
}

function isAsWanted(change: SegmentChange, current: CurrentSegment | undefined): boolean {
  if (change.deleted) return current === undefined || current.isDeleted;
  return (
    current !== undefined &&
    !current.isDeleted &&
    current.text === change.text &&
    current.startMs === change.startMs &&
    current.endMs === change.endMs &&
    current.speaker === change.speaker
  );
}

function segmentAfter(
  change: SegmentChange,
  current: CurrentSegment | undefined,
): Omit<CurrentSegment, 'revision'> {
  if (!change.deleted) {
    const { id, startMs, endMs, text, speaker } = change;
    return { id, startMs, endMs, text, speaker, isDeleted: false };
  }
  if (!current) throw new Error('a segment that never was cannot be deleted');
  return { ...current, isDeleted: true };
}
