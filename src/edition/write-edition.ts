import { ApiError } from '../contract/errors.ts';
import type { Database, Queryable } from '../platform/database/database.ts';
import type { CurrentSegment, Edition } from './edition.ts';
import { editionStore } from './edition-store.ts';
import { type OpenEdition, openEdition } from './open-edition.ts';

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
 * what is to change. `lineIds`: the only lines that it looks at.
 */
export async function writeEdition(
  { db }: EditionDeps,
  { accountId, id }: { accountId: string; id: string },
  decide: (tx: Queryable, standing: OpenEdition) => Promise<EditionWrite>,
  { lineIds }: { lineIds?: readonly string[] } = {},
): Promise<Written> {
  return await db.transaction(async (tx) => {
    const standing = await openEdition(tx, { accountId, id }, lineIds);
    const { segments = [], speakers = standing.speakers } = await decide(tx, standing);
    if (segments.length === 0 && speakers === standing.speakers)
      return { revision: standing.revision, speakers, segments: [] };
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

/** For changes of the whole: they would miss the lines that are still to come. */
export function expectWhole({ isPartial }: OpenEdition): void {
  if (isPartial)
    throw new ApiError('invalid_request', {
      message: 'The transcript is still being made. Do this when it is complete.',
    });
}
