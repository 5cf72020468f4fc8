import type { Allowance } from '../account/allowance.ts';
import type { Database, Queryable } from '../platform/database/database.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { type AdmissionDeps, admitJobs, wakeSteps } from './admission/admission.ts';
import { removeWorkObject } from './audio/work-object.ts';
import type { Failure } from './failure.ts';
import { knownSpeakerStore } from './known-speaker-store.ts';
import { chunkStore } from './step/chunk-store.ts';
import type { JobNotes } from './trace/job-notes.ts';
import type { EndedTranscription } from './transcription.ts';
import { type JustEnded, transcriptionStore } from './transcription-store.ts';

export interface EndJobDeps {
  db: Database;
  stores: ObjectStores;
  allowance: Allowance;
  logger: Logger;
  /** Starts the account's next job. Undefined in a command, which has no queue: the service finds it a moment later. */
  admission: AdmissionDeps | undefined;
  /** Tells the account's receivers, in the transaction that ends the job. */
  recordEnd(tx: Queryable, job: EndedTranscription): Promise<void>;
  /** Called after that transaction. */
  afterEnd(): void;
  notes?: JobNotes | undefined;
}

/**
 * Runs `end`, records the event and starts the account's next job in one transaction. Undefined when the job had ended
 * before: nothing is changed.
 */
export async function endJob(
  deps: EndJobDeps,
  end: (tx: Queryable) => Promise<JustEnded | undefined>,
): Promise<JustEnded | undefined> {
  const { admission } = deps;
  const { ended, admitted } = await deps.db.transaction(async (tx) => {
    const just = await end(tx);
    if (just) await deps.recordEnd(tx, just.transcription);
    const next = just && admission ? await admitJobs(admission, tx, just.transcription.accountId) : [];
    return { ended: just, admitted: next };
  });
  if (!ended) return undefined;
  if (admission) wakeSteps(admission.queue, admitted);
  deps.afterEnd();
  deps.notes?.ended(ended);
  await removeWork(deps, ended);
  return ended;
}

interface FailOptions {
  /** Belongs to the same transaction. */
  also?: (tx: Queryable) => Promise<void>;
  /** For the log: what went wrong last, where the job is given up for that. */
  about?: { step: string; chunk?: number | undefined; err: unknown };
}

/** Ends a job as failed. */
export async function fail(
  deps: EndJobDeps,
  transcriptionId: string,
  failure: Failure,
  { also = async () => {}, about }: FailOptions = {},
): Promise<EndedTranscription | undefined> {
  const ended = await endJob(deps, async (tx) => {
    const failed = await transcriptionStore.markFailed(tx, transcriptionId, failure);
    if (!failed) return undefined;
    if (failed.allowanceDay && failure.isOurs)
      await deps.allowance.giveBack(tx, failed.transcription.accountId, failed.allowanceDay);
    await also(tx);
    return failed;
  });
  if (!ended) return undefined;
  const { code, reason } = failure;
  const line = { ...lineOf(ended), code, ...(reason ? { reason } : {}), ...about };
  if (failure.isOurs) deps.logger.error(line, 'a job was given up');
  else deps.logger.info(line, 'a job failed');
  return ended.transcription;
}

/** What every last line of a job tells. */
export function lineOf({ transcription, tookSeconds }: JustEnded) {
  const { id, accountId, durationSeconds } = transcription;
  return { job: id, account: accountId, durationSeconds, tookSeconds: Math.round(tookSeconds * 10) / 10 };
}

/**
 * Media, decoded audio and the results of chunks have served. What cannot be deleted now is left to the sweep. The
 * chunks of a failed job go after its transaction: a worker that ends one of them at this moment locks the chunk before
 * the job.
 */
async function removeWork(deps: EndJobDeps, { transcription, media }: JustEnded): Promise<void> {
  const { id, audio } = transcription;
  try {
    await chunkStore.deleteAll(deps.db, id);
    await knownSpeakerStore.deleteAll(deps.db, id);
  } catch (error) {
    deps.logger.warn({ err: error, job: id }, 'the chunks and voices of a job could not be deleted');
  }
  for (const object of [audio, audio?.opening, media]) if (object) await removeWorkObject(deps, id, object);
}
