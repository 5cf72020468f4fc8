import { MediaFailure } from '../../media/media-failure.ts';
import { Postponed, type TaskQueue } from '../../platform/queue/queue.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import { NoSuchObject, ObjectChanged } from '../../storage/object-store.ts';
import type { Outages } from '../../transcription/fault/outages.ts';
import { type StepFault, stepFault } from '../../transcription/fault/step-fault.ts';
import { isOnlyWorker } from '../../transcription/fault/worker-presence.ts';
import { RerunFailure, type RerunFailureCode, type RerunTask, rerunQueue } from './rerun.ts';
import { type RerunPassageDeps, rerunPassage } from './rerun-passage.ts';
import { rerunStore } from './rerun-store.ts';

export interface RerunWorkerDeps extends RerunPassageDeps {
  queue: TaskQueue;
  outages: Outages;
  logger: Logger;
}

const needs = ['storage', 'disk', 'engine'] as const;
/** Waits before the next try, in milliseconds; after the last one it is given up. */
const faultWaitsMs = [1_000, 5_000];
/** Not counted: an outage is waited out until the rerun itself is too old. */
const outageWaitMs = 5_000;
const leave = { delayMs: 3_000, avoidMs: 30_000 };

/** Takes passages that are to be recognised again from the queue until it stops. */
export function startRerunWorker(deps: RerunWorkerDeps): void {
  const options = { concurrency: 2, perLaneMax: 1, mayTake: () => deps.outages.mayTake(...needs) };
  deps.queue.work<RerunTask>(rerunQueue.name, options, async ({ data, signal }) => {
    try {
      await rerunPassage(deps, data, signal);
      deps.outages.succeeded(...needs);
    } catch (error) {
      if (signal.aborted) throw error;
      await settle(deps, data, error);
    }
  });
}

/** What becomes of a try that failed: its task is put off (thrown as Postponed), or it was the last. */
async function settle(deps: RerunWorkerDeps, { rerunId, transcriptionId }: RerunTask, error: unknown) {
  const { db, logger, outages } = deps;
  const fault = stepFault(error);
  if (fault.kind === 'away' || fault.kind === 'no-disk-space') {
    if (fault.kind === 'away') outages.report(fault.of, error, fault.retryAfterMs);
    throw new Postponed({ delayMs: outageWaitMs }, error);
  }
  if (fault.kind === 'unfit' && !(await isOnlyWorker(db))) throw new Postponed(leave, error);
  const code = codeOf(error, fault);
  if (code === 'internal') {
    const delayMs = faultWaitsMs[(await rerunStore.countFault(db, rerunId)) - 1];
    logger.warn(
      { err: error, job: transcriptionId, rerun: rerunId },
      'a passage could not be recognised again',
    );
    if (delayMs !== undefined) throw new Postponed({ delayMs }, error);
  }
  await rerunStore.markFailed(db, rerunId, code);
}

function codeOf(error: unknown, fault: StepFault): RerunFailureCode {
  if (error instanceof RerunFailure) return error.code;
  if (error instanceof NoSuchObject || error instanceof ObjectChanged) return 'media_gone';
  if (error instanceof MediaFailure) return 'media_unreadable';
  return fault.kind === 'unfit' ? 'model_missing' : 'internal';
}
