import { ApiError } from '../contract/errors.ts';
import type { CreatedTranscription } from '../transcription/admission/earlier-request.ts';
import { cancelTranscription } from '../transcription/cancel-transcription.ts';
import { progressStore } from '../transcription/progress-store.ts';
import type { Transcription } from '../transcription/transcription.ts';
import { transcriptionStore } from '../transcription/transcription-store.ts';
import type { Agent, AgentDeps } from './agent.ts';
import { isJobId } from './job-id.ts';
import { progressSentence } from './job-waits.ts';
import type { Task, TaskResult, Tasks } from './task.ts';
import { endedResult, firstPage } from './transcript-answer.ts';

const pollIntervalMs = 2_000;

/** A task is a job: its id, its rows, its life. So it survives every process, and any of them tells of it. */
export function jobTasks(deps: AgentDeps, agent: Agent): Tasks {
  const { db, erasure } = deps;
  const accountId = agent.principal.account.id;
  return {
    async get(taskId) {
      const job = isJobId(taskId) ? await transcriptionStore.findOwned(db, accountId, taskId) : undefined;
      if (!job) return undefined;
      const fields = taskFields(job);
      if (job.status === 'processing') {
        const progress = await progressStore.find(db, job.id);
        const statusMessage = progress ? progressSentence(progress) : 'queued';
        return { ...fields, status: 'working', statusMessage };
      }
      if (job.status === 'failed' && job.errorCode === 'cancelled')
        return { ...fields, status: 'cancelled', statusMessage: job.error } satisfies Task;
      return { ...fields, status: 'completed', result: await endedResult(deps, agent, job, firstPage) };
    },
    async cancel(taskId) {
      if (!isJobId(taskId)) return false;
      try {
        await cancelTranscription(erasure, agent.principal, taskId);
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.code === 'not_found') return false;
        throw error;
      }
    },
  };
}

export function taskOf(job: CreatedTranscription): TaskResult {
  const fields = taskFields({ ...job, updatedAt: job.createdAt });
  return { ...fields, status: 'working', statusMessage: 'queued', resultType: 'task' };
}

function taskFields({ id, createdAt, updatedAt }: Pick<Transcription, 'id' | 'createdAt' | 'updatedAt'>) {
  return {
    taskId: id,
    createdAt: createdAt.toISOString(),
    lastUpdatedAt: updatedAt.toISOString(),
    // Without an end: a transcript stays until it is deleted.
    ttlMs: null,
    pollIntervalMs,
  };
}
