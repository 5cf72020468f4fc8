import { MediaFailure } from '../media/media-failure.ts';
import type { Task, TaskQueue } from '../platform/queue.ts';
import type { Logger } from '../platform/telemetry.ts';
import { type AcquireDeps, acquire } from './acquire.ts';
import { fail } from './end-job.ts';
import { type FinishDeps, finish } from './finish.ts';
import { acquireQueue, type ChunkTask, finishQueue, type JobTask, recogniseQueue } from './queues.ts';
import { type RecogniseDeps, recognise } from './recognise.ts';
import { type Failure, internalFailure } from './transcription.ts';
import { transcriptionStore } from './transcription-store.ts';

export interface JobWorkerDeps extends AcquireDeps, RecogniseDeps, FinishDeps {
  queue: TaskQueue;
  logger: Logger;
  /** How many chunks are recognised at once. */
  workers: number;
}

/** Downloads and decodes that run at once; each keeps a core busy for seconds, not minutes. */
const acquisitionsMax = 2;
/** A job that fails so often through our own fault is given up. */
const faultsMax = 4;

/** Takes the steps of jobs from the queue until it stops. */
export function startJobWorker(deps: JobWorkerDeps): void {
  const { queue, workers } = deps;
  const guard =
    <Data extends JobTask>(step: (data: Data, signal: AbortSignal) => Promise<void>) =>
    (task: Task<Data>) =>
      guarded(deps, task, step);
  queue.work<JobTask>(
    acquireQueue.name,
    { concurrency: acquisitionsMax },
    guard((data, signal) => acquire(deps, data, signal)),
  );
  queue.work<ChunkTask>(
    recogniseQueue.name,
    // One more than can run at once: its audio is at hand when a process becomes free.
    { concurrency: workers + 1 },
    guard((data, signal) => recognise(deps, data, signal)),
  );
  queue.work<JobTask>(
    finishQueue.name,
    { concurrency: 1 },
    guard((data, signal) => finish(deps, data, signal)),
  );
}

/** Media that cannot be used fails the job at once; a fault of our own gives the step some more tries. */
async function guarded<Data extends JobTask>(
  deps: JobWorkerDeps,
  { data, signal }: Task<Data>,
  step: (data: Data, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  try {
    await step(data, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const failure = await verdict(deps, data.transcriptionId, error);
    if (!failure) throw error;
    await fail(deps, data.transcriptionId, failure);
  }
}

async function verdict(
  { db, logger }: JobWorkerDeps,
  id: string,
  error: unknown,
): Promise<Failure | undefined> {
  if (error instanceof MediaFailure) {
    const { code, publicText: sentence, isOurs, reason } = error;
    return { code, sentence, isOurs, reason };
  }
  const faults = await transcriptionStore.countFault(db, id);
  if (faults < faultsMax) return undefined;
  logger.error({ err: error, job: id }, 'a job is given up after repeated faults');
  return internalFailure;
}
