import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { Database } from '../platform/database/database.ts';
import type { Segment } from '../transcript/segment.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import { type CurrentSegment, type Edition, machineEdition, machineRevision } from './edition.ts';
import { editionStore } from './edition-store.ts';
import { openEdition } from './open-edition.ts';
import type { EditionDeps } from './write-edition.ts';

/** The edition with its segments in order; of a transcript that nobody has edited, the machine's text. */
export async function readEdition({ db }: EditionDeps, { account }: Principal, id: string): Promise<Edition> {
  const machine = await editionStore.machineText(db, account.id, id);
  if (!machine) throw new ApiError('not_found');
  return editionOf(db, { accountId: account.id, id }, machine.segments);
}

export async function editionOf(
  db: Database,
  { accountId, id }: { accountId: string; id: string },
  machineSegments: readonly Segment[],
): Promise<Edition> {
  // First the number, then the segments: one that is written in between is told once more, never missed.
  const found = await headOf(db, accountId, id);
  if (!found) return machineEdition(machineSegments);
  return { ...found, segments: await editionStore.segments(db, id) };
}

export interface EditionChanges extends Omit<Edition, 'segments'> {
  segments: CurrentSegment[];
}

/** What other writers changed since a revision, also while the transcript is made. */
export async function editionChanges(
  { db }: EditionDeps,
  { account }: Principal,
  { id, since }: { id: string; since: number },
): Promise<EditionChanges> {
  if (!(await transcriptionStore.isOwned(db, account.id, id))) throw new ApiError('not_found');
  const found = await headOf(db, account.id, id);
  if (!found) return { revision: machineRevision, speakers: {}, segments: [] };
  return { ...found, segments: await editionStore.changedSince(db, id, since) };
}

/** The first reader after the end of a transcript has its rest taken over. */
async function headOf(
  db: Database,
  accountId: string,
  id: string,
): Promise<Omit<Edition, 'segments'> | undefined> {
  const found = await editionStore.find(db, id);
  if (!found) return undefined;
  const { revision, speakers } = found.isBehind
    ? await db.transaction((tx) => openEdition(tx, { accountId, id }))
    : found;
  return { revision, speakers };
}
