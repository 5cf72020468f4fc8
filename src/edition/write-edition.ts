import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import type { Database, Queryable } from '../platform/database.ts';
import type { CurrentSegment, Edition } from './edition.ts';
import { editionStore } from './edition-store.ts';

export interface EditionDeps {
  db: Database;
}

/** What a write changes; undefined or empty leaves the edition as it is. */
export interface EditionWrite {
  segments?: readonly Omit<CurrentSegment, 'revision'>[];
  speakers?: Edition['speakers'];
}

/** What a write gave: the edition's number, and the segments that it changed. */
export interface Written {
  revision: number;
  speakers: Edition['speakers'];
  segments: CurrentSegment[];
}

/** The lines of ten hours are about ten thousand; splitting goes on well beyond that. */
const segmentsMax = 100_000;
/** Ten hours are about 600,000: the database is no place for whatever somebody imports again and again. */
const charactersMax = 10_000_000;

/**
 * One write of an edition: one writer at a time, everything or nothing. `decide` sees the edition as it stands and says
 * what is to change.
 */
export async function writeEdition(
  { db }: EditionDeps,
  { account }: Principal,
  id: string,
  decide: (tx: Queryable, standing: Omit<Edition, 'segments'>) => Promise<EditionWrite>,
): Promise<Written> {
  return await db.transaction(async (tx) => {
    const machine = await editionStore.machineText(tx, account.id, id);
    if (!machine) throw new ApiError('not_found');
    const standing = await editionStore.lock(tx, id, machine);
    const { segments = [], speakers = standing.speakers } = await decide(tx, standing);
    if (segments.length === 0 && speakers === standing.speakers) return { ...standing, segments: [] };
    const revision = standing.revision + 1;
    const written = segments.map((segment) => ({ ...segment, revision }));
    await editionStore.put(tx, id, written);
    const { lines, characters } = await editionStore.size(tx, id);
    if (lines > segmentsMax || characters > charactersMax)
      throw new ApiError('invalid_request', {
        message: `A transcript has at most ${segmentsMax} lines and ${charactersMax} characters, deleted ones included.`,
      });
    await editionStore.settle(tx, id, { revision, speakers });
    return { revision, speakers, segments: written };
  });
}
