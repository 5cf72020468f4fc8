import type { Task, TaskQueue } from '../../platform/queue/queue.ts';
import type { TaskLoopOptions } from '../../platform/queue/task-loop.ts';
import type { Outages } from '../fault/outages.ts';
import { type SettleFaultDeps, settleFault } from '../fault/settle-fault.ts';
import type { Dependency } from '../fault/step-fault.ts';
import type { StepNote } from '../trace/job-notes.ts';
import { type DecodeDeps, decodeMedia } from './decode.ts';
import { type FetchDeps, fetchMedia } from './fetch.ts';
import { type FinishDeps, finish } from './finish.ts';
import { type RecogniseDeps, recognise } from './recognise.ts';
import { type ChunkTask, type JobTask, type Step, stepQueues } from './steps.ts';

export interface JobWorkerDeps extends FetchDeps, DecodeDeps, RecogniseDeps, FinishDeps, SettleFaultDeps {
  queue: TaskQueue;
  outages: Outages;
  /** How many chunks are recognised at once. */
  workers: number;
}

/** Slots of each step, and how many of them one account may hold: a slow one never holds all. */
function slotsOf(step: Step, workers: number): TaskLoopOptions {
  switch (step) {
    case 'fetch': // Mostly waits for the network.
      return { concurrency: 16, perLaneMax: 6 };
    case 'decode': // Each keeps a core busy for seconds, not minutes.
      return { concurrency: 3, perLaneMax: 2 };
    case 'recognise': // One more than can run at once: its audio is at hand when a process becomes free.
      return { concurrency: workers + 1 };
    case 'finish':
      return { concurrency: 2, perLaneMax: 1 };
  }
}

/** What a step cannot be done without, besides the database. */
const needs: Readonly<Record<Step, readonly Dependency[]>> = {
  fetch: ['storage', 'disk'],
  decode: ['storage', 'disk'],
  recognise: ['storage', 'engine'],
  finish: [],
};

/** Takes the steps of jobs from the queue until it stops. */
export function startJobWorker(deps: JobWorkerDeps): void {
  const take = <Data extends JobTask>(
    step: Step,
    work: (data: Data, signal: AbortSignal) => Promise<void>,
  ): void => {
    const options = { ...slotsOf(step, deps.workers), mayTake: () => deps.outages.mayTake(...needs[step]) };
    deps.queue.work<Data>(stepQueues[step].name, options, (task) => guarded(deps, step, task, work));
  };
  take<JobTask>('fetch', (data, signal) => fetchMedia(deps, data, signal));
  take<JobTask>('decode', (data, signal) => decodeMedia(deps, data, signal));
  take<ChunkTask>('recognise', (data, signal) => recognise(deps, data, signal));
  take<JobTask>('finish', (data, signal) => finish(deps, data, signal));
}

async function guarded<Data extends JobTask>(
  deps: JobWorkerDeps,
  step: Step,
  { data, signal }: Task<Data>,
  work: (data: Data, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const startedAtMs = deps.clock.now();
  const { transcriptionId, index } = data as JobTask & Partial<ChunkTask>;
  const note = (outcome: StepNote['outcome']) => {
    const seconds = (deps.clock.now() - startedAtMs) / 1000;
    deps.notes?.step({ step, transcriptionId, index, outcome, startedAtMs, seconds });
  };
  try {
    await work(data, signal);
    deps.outages.succeeded(...needs[step]);
    note('done');
  } catch (error) {
    note(signal.aborted ? 'given back' : 'failed');
    if (signal.aborted) throw error;
    await settleFault(deps, { transcriptionId, step, index }, error);
  }
}
