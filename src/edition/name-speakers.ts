import type { Principal } from '../account/principal.ts';
import { editionStore } from './edition-store.ts';
import { type EditionDeps, type Written, writeEdition } from './write-edition.ts';

/** Gives a speaker a name; an empty one takes it away again. Other speakers' names stay as they are. */
export async function nameSpeaker(
  deps: EditionDeps,
  { account }: Principal,
  { id, speaker, name }: { id: string; speaker: string; name: string },
): Promise<Written> {
  return await writeEdition(deps, { accountId: account.id, id }, async (_tx, { speakers }) => {
    const { [speaker]: known, ...others } = speakers;
    if ((known ?? '') === name) return {};
    return { speakers: name === '' ? others : { ...others, [speaker]: name } };
  });
}

/** Two speakers were one person: everything that `from` said is `into`'s. */
export async function mergeSpeakers(
  deps: EditionDeps,
  { account }: Principal,
  { id, from, into }: { id: string; from: string; into: string },
): Promise<Written> {
  return await writeEdition(deps, { accountId: account.id, id }, async (tx, { speakers }) => {
    if (from === into) return {};
    const segments = await editionStore.segments(tx, id);
    const theirs = segments.filter(({ speaker }) => speaker === from);
    const { [from]: name, ...others } = speakers;
    return {
      segments: theirs.map((segment) => ({ ...segment, speaker: into, isDeleted: false })),
      speakers: name === undefined ? speakers : others,
    };
  });
}
