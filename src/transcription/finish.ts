import type { Allowance } from '../account/allowance.ts';
import type { Database, Queryable } from '../platform/database.ts';
import type { ObjectStores } from '../storage/object-store.ts';
import { transcript } from '../transcript/transcript.ts';
import { chunkStore } from './chunk-store.ts';
import type { JobTask } from './queues.ts';
import { speakerOutcomeStore } from './speaker-outcome-store.ts';
import { type SpeakersDeps, speakersOfJob } from './speakers.ts';
import type { EndedTranscription, Failure } from './transcription.ts';
import { type JustEnded, transcriptionStore } from './transcription-store.ts';

export interface FinishDeps extends SpeakersDeps {
  db: Database;
  stores: ObjectStores;
  allowance: Allowance;
  /** Tells the account's receivers, in the transaction that ends the job. */
  recordEnd(tx: Queryable, job: EndedTranscription): Promise<void>;
  /** Called after that transaction. */
  afterEnd(): void;
}

/** From the results of all chunks to a completed job. A second finisher changes nothing. */
export async function finish(
  deps: FinishDeps,
  { transcriptionId }: JobTask,
  signal: AbortSignal,
): Promise<void> {
  const job = await transcriptionStore.findProcessing(deps.db, transcriptionId);
  if (!job) return;
  const results = await chunkStore.results(deps.db, transcriptionId);
  const { speakerDiarization, speakerCount } = job.options;
  const speakers = speakerDiarization
    ? await speakersOfJob(deps, transcriptionId, results, speakerCount ?? null, signal)
    : undefined;
  const { text, segments } = transcript(
    results.flatMap((result) => result.utterances),
    speakers?.turns,
  );
  await endJob(deps, async (tx) => {
    const ended = await transcriptionStore.markCompleted(tx, transcriptionId, { text, segments });
    if (ended && speakers) await speakerOutcomeStore.count(tx, speakers.outcome);
    return ended;
  });
}

export async function fail(deps: FinishDeps, transcriptionId: string, failure: Failure): Promise<void> {
  await endJob(deps, async (tx) => {
    const ended = await transcriptionStore.markFailed(tx, transcriptionId, failure);
    if (ended?.allowanceDay && failure.isOurs) {
      await deps.allowance.giveBack(tx, ended.transcription.accountId, ended.allowanceDay);
    }
    return ended;
  });
  const { code, reason } = failure;
  deps.logger.info({ job: transcriptionId, code, ...(reason ? { reason } : {}) }, 'a job failed');
}

async function endJob(
  deps: FinishDeps,
  end: (tx: Queryable) => Promise<JustEnded | undefined>,
): Promise<void> {
  const ended = await deps.db.transaction(async (tx) => {
    const result = await end(tx);
    if (result) await deps.recordEnd(tx, result.transcription);
    return result;
  });
  if (!ended) return;
  deps.afterEnd();
  await removeAudio(deps, ended.transcription);
}

/** The decoded audio has served. What cannot be deleted now is left to the sweep. */
async function removeAudio({ stores, logger }: FinishDeps, { id, audio }: EndedTranscription): Promise<void> {
  if (!audio) return;
  try {
    await stores.get(audio.storage)?.delete(audio.key);
  } catch (error) {
    logger.warn({ err: error, job: id }, 'the decoded audio of a job could not be deleted');
  }
}
