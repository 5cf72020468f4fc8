import type { AccountStore } from '../../account/account-store.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { TaskQueue } from '../../platform/queue/queue.ts';
import { type Step, stepQueues } from '../step/steps.ts';
import { admissionStore } from './admission-store.ts';

export interface AdmissionDeps {
  queue: TaskQueue;
  accounts: Pick<AccountStore, 'runningMax'>;
}

/**
 * Starts the next jobs of an account, as many as its plan lets run at once. Called in the transaction that creates or
 * ends a job, so that none waits although it could run; the others have no task and cost nobody anything.
 */
export async function admitJobs(deps: AdmissionDeps, tx: Queryable, accountId: string): Promise<Set<Step>> {
  const { queue, accounts } = deps;
  const account = await admissionStore.lockAccount(tx, accountId);
  if (!account) return new Set();
  const admitted = await admissionStore.admitNext(tx, accountId, accounts.runningMax(account.plan));
  const byStep = Map.groupBy(admitted, ({ firstStep }) => firstStep);
  for (const [step, jobs] of byStep) {
    const tasks = jobs.map(({ id }) => ({ data: { transcriptionId: id }, lane: account.lane }));
    await queue.send(tx, stepQueues[step].name, tasks);
  }
  return new Set(byStep.keys());
}

/** After the transaction. */
export function wakeSteps(queue: TaskQueue, steps: Iterable<Step>): void {
  for (const step of steps) queue.wake(stepQueues[step].name);
}
