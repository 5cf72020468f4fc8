import type { Principal } from '../account/principal.ts';
import { cancelTranscription } from '../transcription/cancel-transcription.ts';
import type { EndJobDeps } from '../transcription/end-job.ts';
import { eraseJobs } from './erase-jobs.ts';
import { type EraseObjectsDeps, eraseTargets } from './erase-objects.ts';

export interface ErasureDeps extends EndJobDeps, EraseObjectsDeps {
  db: EndJobDeps['db'];
}

/** `isErased` is false when a storage did not answer: the service erases the rest of the media as soon as it does. */
export interface Deleted {
  isErased: boolean;
}

/**
 * Deletes a job of one's own with everything that belongs to it. One that still runs is cancelled first. The rows go
 * in one transaction that also notes the stored media, so a crash at any moment leaves nothing that nobody erases.
 */
export async function deleteTranscription(
  deps: ErasureDeps,
  principal: Principal,
  id: string,
): Promise<Deleted> {
  const { db, stores, clock } = deps;
  const job = await cancelTranscription(deps, principal, id);
  const targets = await db.transaction((tx) => eraseJobs(tx, { stores, now: clock.date() }, [job.id]));
  const { account, credential, protocol } = principal;
  deps.logger.info({ job: job.id, account: account.id, credential, protocol }, 'a job was deleted');
  return { isErased: await eraseTargets(deps, targets) };
}
