import type { QueueDefinition } from '../../platform/queue/task-store.ts';
import type { Source } from '../transcription.ts';

/** A link becomes a media object in the store. The largest file may take an hour, at the least rate that is accepted. */
const fetch: QueueDefinition = { name: 'fetch', expireSeconds: 3 * 3600, retrySeconds: 1 };
/** A media object becomes audio and chunk rows. A ten-hour file is decoded well within this. */
const decode: QueueDefinition = { name: 'decode', expireSeconds: 3 * 3600, retrySeconds: 1 };
/**
 * One chunk of at most 30 s of audio becomes text. It may wait for a process that is busy with another, and is tried up to
 * three times where speakers are wanted, each within the limit of a request: to take it away sooner would begin it again.
 */
const recognise: QueueDefinition = { name: 'recognise', expireSeconds: 3600, retrySeconds: 1 };
/** The results of all chunks become the transcript. */
const finish: QueueDefinition = { name: 'finish', expireSeconds: 15 * 60, retrySeconds: 1 };

/** The steps of a job, each with its queue and its slots. */
export const stepQueues = { fetch, decode, recognise, finish } as const;

export type Step = keyof typeof stepQueues;

export interface JobTask {
  transcriptionId: string;
}

export interface ChunkTask extends JobTask {
  index: number;
}

export function firstStepOf({ kind }: Pick<Source, 'kind'>): Step {
  return kind === 'url' ? 'fetch' : 'decode';
}
