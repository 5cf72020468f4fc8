import type { Principal } from '../account/principal.ts';
import { ApiError } from '../contract/errors.ts';
import { removeTasks } from '../platform/queue/queue.ts';
import { type EndJobDeps, fail } from './end-job.ts';
import type { Failure } from './failure.ts';
import type { Transcription } from './transcription.ts';
import { transcriptionStore } from './transcription-store.ts';

/** The owner's own decision: the day's allowance has paid for the work that was done. */
const cancelled: Failure = {
  code: 'cancelled',
  sentence: 'This transcription was cancelled before it was done. Create it again to have it transcribed.',
  isOurs: false,
};

/**
 * Ends a job of one's own that still runs: as failed, with its event. Its tasks go in the same transaction, so that
 * workers stop at their next heartbeat. A job that has ended stays as it is.
 */
export async function cancelTranscription(
  deps: EndJobDeps,
  { account }: Principal,
  id: string,
): Promise<Transcription> {
  const job = await transcriptionStore.findOwned(deps.db, account.id, id);
  if (!job) throw new ApiError('not_found');
  if (job.status !== 'processing') return job;
  const ended = await fail(deps, job.id, cancelled, {
    also: (tx) => removeTasks(tx, 'transcriptionId', [job.id]),
  });
  if (ended) return ended;
  const now = await transcriptionStore.findOwned(deps.db, account.id, id);
  if (!now) throw new ApiError('not_found');
  return now;
}
