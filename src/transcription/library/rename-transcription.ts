import type { Principal } from '../../account/principal.ts';
import { ApiError } from '../../contract/errors.ts';
import { labelOf } from '../../contract/label.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { libraryStore } from './library-store.ts';

/** A name that is blank gives the recording its own name back. */
export async function renameTranscription(
  { db }: { db: Queryable },
  { account }: Principal,
  { id, name }: { id: string; name: string },
): Promise<void> {
  if (!(await libraryStore.rename(db, account.id, id, labelOf(name, '') || null)))
    throw new ApiError('not_found');
}
