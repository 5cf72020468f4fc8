import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { editedSegments } from './edition.ts';
import { editionStore } from './edition-store.ts';
import { paragraphText } from './paragraph-text.ts';
import { readEdition } from './read-edition.ts';
import type { EditionDeps } from './write-edition.ts';

/** From now on the API gives this text; what is edited afterwards waits until it is published again. */
export async function publishEdition(deps: EditionDeps, principal: Principal, id: string): Promise<void> {
  const segments = editedSegments(await readEdition(deps, principal, id));
  const published = { text: paragraphText(segments), segments };
  const isThere = await editionStore.publish(deps.db, { accountId: principal.account.id, id }, published);
  if (!isThere) throw new ApiError('not_found');
}

/** The API gives the machine's text again. */
export async function withdrawEdition(deps: EditionDeps, principal: Principal, id: string): Promise<void> {
  if (!(await editionStore.withdraw(deps.db, { accountId: principal.account.id, id })))
    throw new ApiError('not_found');
}
