import type { Database } from '../../platform/database/database.ts';
import type { ScratchDirectory } from '../../platform/disk/scratch-directory.ts';
import { Postponed } from '../../platform/queue/queue.ts';
import { type EndJobDeps, fail } from '../end-job.ts';
import { type Failure, ownFailures } from '../failure.ts';
import type { Outages } from './outages.ts';
import { type StepFault, stepFault } from './step-fault.ts';
import { type StepOfJob, stepFaultStore } from './step-fault-store.ts';
import { isOnlyWorker } from './worker-presence.ts';

export interface SettleFaultDeps extends EndJobDeps {
  db: Database;
  outages: Outages;
  scratch: ScratchDirectory;
}

/** Waits before the next try, in seconds; after the last one the job is given up. With ±20 %, so that many do not come back at once. */
const faultWaits = [1, 5, 25, 60, 120];
/** A chunk that kills its process is not given the time to kill many. */
const crashWaits = [1, 5, 20];
const linkWaits = [1, 4, 15];
/** A site may ask for more patience, up to this. */
const retryAfterMsMax = 60_000;
/** Not counted, and as long as it takes: the wait keeps tasks from being tried over and over, the worker's own pause does the rest. */
const outageWaits = [1, 2, 4, 8, 15];
/** Tasks of the same account are left to other workers for so long. */
const avoidMs = 30_000;
const leaveMs = 3_000;

/** What becomes of a step that failed: its task is put off (thrown as Postponed), or its job has ended. */
export async function settleFault(deps: SettleFaultDeps, at: StepOfJob, error: unknown): Promise<void> {
  const fault = await judged(deps, at, error);
  const reason = error instanceof Error ? error.message : String(error);
  if (fault.kind === 'away' || fault.kind === 'no-disk-space') {
    if (fault.kind === 'away') deps.outages.report(fault.of, error, fault.retryAfterMs);
    const times = await stepFaultStore.countOutage(deps.db, at, reason);
    throw new Postponed({ delayMs: jittered(outageWaits[times - 1] ?? outageWaits.at(-1) ?? 0) }, error);
  }
  if (fault.kind === 'unfit' && !(await isOnlyWorker(deps.db))) {
    const { transcriptionId: job, step } = at;
    deps.logger.warn({ job, step, reason }, 'this worker cannot do a task and leaves it to others');
    throw new Postponed({ delayMs: leaveMs, avoidMs }, error);
  }
  if (fault.kind === 'media' && !fault.failure.transient) {
    await fail(deps, at.transcriptionId, failureOf(fault));
    return;
  }
  const times = await stepFaultStore.countFault(deps.db, at, reason);
  const { transcriptionId: job, step, index: chunk } = at;
  const wait = waitsOf(fault)[times - 1];
  if (wait === undefined) {
    await fail(deps, job, failureOf(fault), { about: { step, chunk, err: error } });
    return;
  }
  const line = { job, step, chunk, times, reason };
  if (fault.kind === 'media') deps.logger.info(line, 'a link is tried again later');
  else deps.logger.warn({ ...line, err: error }, 'a step failed and is tried again later');
  throw new Postponed({ delayMs: Math.max(jittered(wait), askedMs(fault)) }, error);
}

/** A disk that is full makes programs fail with words of their own: the disk is asked. */
async function judged({ scratch }: SettleFaultDeps, { step }: StepOfJob, error: unknown): Promise<StepFault> {
  const fault = stepFault(error);
  const isOfFiles = step === 'fetch' || step === 'decode';
  const mayBeDisk = fault.kind === 'no-disk-space' || (fault.kind === 'media' && isOfFiles);
  return mayBeDisk && !(await scratch.hasSpace()) ? { kind: 'away', of: 'disk', retryAfterMs: 0 } : fault;
}

function waitsOf({ kind }: StepFault): readonly number[] {
  if (kind === 'media') return linkWaits;
  return kind === 'crash' ? crashWaits : faultWaits;
}

function askedMs(fault: StepFault): number {
  return fault.kind === 'media' ? Math.min(fault.failure.retryAfterMs ?? 0, retryAfterMsMax) : 0;
}

function jittered(seconds: number): number {
  return seconds * 1000 * (0.8 + Math.random() * 0.4);
}

function failureOf(fault: StepFault): Failure {
  if (fault.kind === 'media') {
    const { code, publicText: sentence, isOurs, reason } = fault.failure;
    return { code, sentence, isOurs, reason };
  }
  if (fault.kind === 'crash') return ownFailures.recognizerFailed;
  return fault.kind === 'unfit' && fault.model ? ownFailures.modelMissing : ownFailures.internal;
}
