import { ApiError } from '../contract/errors.ts';
import type { Database } from '../platform/database/database.ts';
import type { Edition } from './edition.ts';
import { type ReadTranscript, transcriptOf } from './read-transcript.ts';
import { openShare, type ShareDeps } from './shares.ts';

export interface SharedTranscript extends ReadTranscript {
  edition: Edition;
  expiresAt: Date;
}

/** For whoever has the link: it is the permission, so there is no principal. */
export async function readSharedTranscript(
  deps: ShareDeps & { db: Database },
  token: string,
): Promise<SharedTranscript> {
  const { transcriptionId, accountId, expiresAt } = await openShare(deps, token);
  const { edition, ...read } = await transcriptOf(deps.db, { accountId, id: transcriptionId });
  if (!edition) throw new ApiError('not_found');
  return { ...read, edition, expiresAt };
}
