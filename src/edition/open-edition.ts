import { ApiError } from '../contract/errors.ts';
import type { Queryable } from '../platform/database/database.ts';
import type { Segment } from '../transcript/segment.ts';
import { LiveTranscript } from '../transcript/transcript.ts';
import { chunkStore } from '../transcription/step/chunk-store.ts';
import { type Edition, machineEdition } from './edition.ts';
import { editionStore } from './edition-store.ts';
import { linesAtEnd } from './lines-at-end.ts';

export interface OpenEdition extends Omit<Edition, 'segments'> {
  /** The transcript is still being made; more lines follow. */
  isPartial: boolean;
  /** Lines that nobody changed are those that readers saw while they were made. */
  isAsSeenLive: boolean;
}

const chunksPerRead = 200;

/**
 * Keeps the edition for this writer alone until its transaction ends. The first write makes it of the machine's text;
 * while that is still being made, of what there is of it. `lineIds`: the only lines that the writer looks at.
 */
export async function openEdition(
  tx: Queryable,
  { accountId, id }: { accountId: string; id: string },
  lineIds?: readonly string[],
): Promise<OpenEdition> {
  const origin = await editionStore.origin(tx, accountId, id);
  if (!origin) throw new ApiError('not_found');
  const isProcessing = origin.segments === null;
  const isNew = await editionStore.create(tx, id, { isPartial: isProcessing });
  const standing = await editionStore.lock(tx, id);
  if (origin.segments === null) {
    if (isNew || !(await hasAll(tx, id, lineIds))) await addMissing(tx, id, await liveSegments(tx, id));
    return { ...standing, isPartial: true, isAsSeenLive: true };
  }
  const isAsSeenLive = origin.segments.every(({ speaker }) => speaker === undefined);
  if (isNew) await addMissing(tx, id, origin.segments);
  if (!standing.isPartial) return { ...standing, isPartial: false, isAsSeenLive };
  const revision = await takeOverEnd(tx, id, { revision: standing.revision, segments: origin.segments });
  return { ...standing, revision, isPartial: false, isAsSeenLive: true };
}

async function hasAll(tx: Queryable, id: string, lineIds: readonly string[] | undefined): Promise<boolean> {
  if (!lineIds) return false;
  const known = await editionStore.current(tx, id, lineIds);
  return lineIds.every((line) => known.has(line));
}

async function addMissing(tx: Queryable, id: string, segments: readonly Segment[]): Promise<void> {
  const lines = machineEdition(segments).segments;
  const known = await editionStore.current(
    tx,
    id,
    lines.map((line) => line.id),
  );
  const missing = lines.filter((line) => !known.has(line.id));
  await editionStore.put(
    tx,
    id,
    missing.map((line) => ({ ...line, isDeleted: false })),
  );
}

/** What of the transcript is final, in order, and the same for every reader. */
async function liveSegments(tx: Queryable, id: string): Promise<Segment[]> {
  const live = new LiveTranscript();
  const segments: Segment[] = [];
  for (let from = 0; ; ) {
    const chunks = await chunkStore.utterancesFrom(tx, id, { from, limit: chunksPerRead });
    for (const utterance of chunks.flat())
      segments.push(...live.add(utterance).map(({ segment }) => segment));
    from += chunks.length;
    if (chunks.length < chunksPerRead) return segments;
  }
}

async function takeOverEnd(
  tx: Queryable,
  id: string,
  { revision, segments }: { revision: number; segments: readonly Segment[] },
): Promise<number> {
  const standing = await editionStore.changedSince(tx, id, 0);
  const changed = linesAtEnd(standing, machineEdition(segments).segments);
  const next = changed.length === 0 ? revision : revision + 1;
  await editionStore.put(
    tx,
    id,
    changed.map((line) => ({ ...line, revision: next })),
  );
  await editionStore.markWhole(tx, id, next);
  return next;
}
