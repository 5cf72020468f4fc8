import { ApiError } from '../contract/errors.ts';
import type { Database } from '../platform/database.ts';
import type { Playback } from '../transcription/playback.ts';
import { playbackStore } from '../transcription/playback-store.ts';
import type { Edition } from './edition.ts';
import { editionStore, type TranscriptFacts } from './edition-store.ts';
import { readEdition } from './read-edition.ts';

export interface ReadTranscript extends TranscriptFacts {
  playback: Playback;
  /** Null until the job is completed. */
  edition: Edition | null;
}

/** Everything that a page about one recording shows first. */
export async function readTranscript(
  { db }: { db: Database },
  owner: { account: { id: string } },
  id: string,
): Promise<ReadTranscript> {
  const facts = await editionStore.facts(db, owner.account.id, id);
  if (!facts) throw new ApiError('not_found');
  const playback = await playbackStore.find(db, id);
  const edition = facts.status === 'completed' ? await readEdition({ db }, owner, id) : null;
  return { ...facts, playback, edition };
}
