import type { Allowance } from '../account/allowance.ts';
import type { Database, Queryable } from '../platform/database.ts';
import type { Logger } from '../platform/telemetry.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { chunkStore } from './chunk-store.ts';
import type { EndedTranscription, Failure } from './transcription.ts';
import { type JustEnded, transcriptionStore } from './transcription-store.ts';

export interface EndJobDeps {
  db: Database;
  stores: ObjectStores;
  allowance: Allowance;
  logger: Logger;
  /** Tells the account's receivers, in the transaction that ends the job. */
  recordEnd(tx: Queryable, job: EndedTranscription): Promise<void>;
  /** Called after that transaction. */
  afterEnd(): void;
}

/** Runs `end` and records the event in one transaction. Undefined when the job had ended before: nothing is changed. */
export async function endJob(
  deps: EndJobDeps,
  end: (tx: Queryable) => Promise<JustEnded | undefined>,
): Promise<EndedTranscription | undefined> {
  const ended = await deps.db.transaction(async (tx) => {
    const result = await end(tx);
    if (result) await deps.recordEnd(tx, result.transcription);
    return result;
  });
  if (!ended) return undefined;
  deps.afterEnd();
  await removeWork(deps, ended.transcription);
  return ended.transcription;
}

/** Ends a job as failed; `also` belongs to the same transaction. */
export async function fail(
  deps: EndJobDeps,
  transcriptionId: string,
  failure: Failure,
  also: (tx: Queryable) => Promise<void> = async () => {},
): Promise<EndedTranscription | undefined> {
  const ended = await endJob(deps, async (tx) => {
    const failed = await transcriptionStore.markFailed(tx, transcriptionId, failure);
    if (!failed) return undefined;
    if (failed.allowanceDay && failure.isOurs)
      await deps.allowance.giveBack(tx, failed.transcription.accountId, failed.allowanceDay);
    await also(tx);
    return failed;
  });
  const { code, reason } = failure;
  if (ended) deps.logger.info({ job: transcriptionId, code, ...(reason ? { reason } : {}) }, 'a job failed');
  return ended;
}

/**
 * The decoded audio and the results of chunks have served. What cannot be deleted now is left to the sweep. The chunks
 * of a failed job go after its transaction: a worker that ends one of them at this moment locks the chunk before the job.
 */
async function removeWork(
  { db, stores, logger }: EndJobDeps,
  { id, audio }: EndedTranscription,
): Promise<void> {
  try {
    await chunkStore.deleteAll(db, id);
    if (audio) await stores.get(audio.storage)?.delete(audio.key);
  } catch (error) {
    logger.warn({ err: error, job: id }, 'the decoded audio of a job could not be deleted');
  }
}
