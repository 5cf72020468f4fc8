import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { type Duty, startDuty } from '../../platform/database/duty.ts';
import { type AdmissionDeps, admitJobs, wakeSteps } from '../admission/admission.ts';
import { admissionStore } from '../admission/admission-store.ts';
import { type EndJobDeps, fail } from '../end-job.ts';
import { type Failure, ownFailures } from '../failure.ts';
import { type JobTask, type Step, stepQueues } from '../step/steps.ts';
import { type MissingTask, reconcileStore } from './reconcile-store.ts';
import { takeLostWorkers } from './worker-presence.ts';

export interface ReconcileDeps extends EndJobDeps {
  admission: AdmissionDeps;
  clock: Clock;
}

/** What a pass found out of order. */
export interface ReconcileReport {
  requeued: number;
  givenUp: number;
}

const reconcileEveryMs = 30_000;
/** Without a pass for so long no process of ours ran. */
const pauseSecondsMax = 300;
/** A job of which no step succeeds for so long is given up: storage, engine or workers were away for a whole day. */
const standstillSecondsMax = 24 * 3600;
const deadLettersPerPass = 1_000;

interface Found {
  toEnd: Map<string, Failure>;
  requeued: MissingTask[];
  woken: Set<Step>;
}

/**
 * Compares the jobs with their tasks and ends or goes on with whatever fell between: a task that was given up or lost,
 * a job that stands still, one that could run and was not started. Undefined when another process is doing it.
 */
export async function reconcile(deps: ReconcileDeps): Promise<ReconcileReport | undefined> {
  const found = await deps.db.transaction(async (tx) =>
    (await reconcileStore.tryLock(tx)) ? await setRight(deps, tx) : undefined,
  );
  if (!found) return undefined;
  for (const { id: worker, ...about } of await takeLostWorkers(deps.db))
    deps.logger.warn({ worker, ...about }, 'a worker was lost; its tasks are done by others');
  wakeSteps(deps.admission.queue, found.woken);
  for (const { transcriptionId: job, step, index: chunk } of found.requeued)
    deps.logger.warn({ job, step, chunk }, 'a job had no task for its next step; it is queued again');
  for (const [id, failure] of found.toEnd) await fail(deps, id, failure);
  return { requeued: found.requeued.length, givenUp: found.toEnd.size };
}

/** Everything but the ends, which have transactions of their own: one that is lost by a crash is found again. */
async function setRight(deps: ReconcileDeps, tx: Queryable): Promise<Found> {
  const sinceSeconds = await reconcileStore.markDone(tx);
  if (sinceSeconds > pauseSecondsMax) await reconcileStore.forgiveStandstill(tx, sinceSeconds);
  const toEnd = new Map<string, Failure>();
  for (const id of await reconcileStore.standingStill(tx, standstillSecondsMax))
    toEnd.set(id, ownFailures.stalled);
  for (const { name } of Object.values(stepQueues)) {
    for (const { transcriptionId } of await deps.admission.queue.takeDead<JobTask>(
      tx,
      name,
      deadLettersPerPass,
    ))
      toEnd.set(transcriptionId, ownFailures.internal);
  }
  const missing = await reconcileStore.missingTasks(tx);
  const requeued = missing.filter(({ transcriptionId }) => !toEnd.has(transcriptionId));
  await requeue(deps, tx, requeued);
  const woken = new Set<Step>(requeued.map(({ step }) => step));
  for (const accountId of await admissionStore.waitingAccounts(tx)) {
    for (const step of await admitJobs(deps.admission, tx, accountId)) woken.add(step);
  }
  return { toEnd, requeued, woken };
}

async function requeue(
  { admission: { queue } }: ReconcileDeps,
  tx: Queryable,
  missing: readonly MissingTask[],
): Promise<void> {
  for (const [step, tasks] of Map.groupBy(missing, (task) => task.step)) {
    const sent = tasks.map(({ transcriptionId, index, lane }) =>
      index === null
        ? { data: { transcriptionId }, lane }
        : { data: { transcriptionId, index }, lane, position: index },
    );
    await queue.send(tx, stepQueues[step].name, sent);
  }
}

/** Reconciles now and then, in every process of the service: one at a time does the work. */
export function startReconcileDuty(deps: ReconcileDeps): Duty {
  return startDuty(deps.clock, reconcileEveryMs, async () => {
    try {
      if (await reconcileStore.isDue(deps.db, reconcileEveryMs / 2_000)) await reconcile(deps);
    } catch (error) {
      deps.logger.warn({ err: error }, 'jobs and tasks could not be compared; it will be tried again');
    }
  });
}
