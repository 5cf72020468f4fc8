import type { QueueDefinition } from '../platform/queue.ts';

/** From a source to decoded audio and chunk rows. A ten-hour file downloads and decodes well within this. */
export const acquireQueue: QueueDefinition = { name: 'acquire', expireSeconds: 6 * 3600, retrySeconds: 1 };
/** One chunk of at most 30 s of audio. */
export const recogniseQueue: QueueDefinition = { name: 'recognise', expireSeconds: 15 * 60, retrySeconds: 1 };
/** From the results of all chunks to the transcript. */
export const finishQueue: QueueDefinition = { name: 'finish', expireSeconds: 15 * 60, retrySeconds: 1 };

export const transcriptionQueues: readonly QueueDefinition[] = [acquireQueue, recogniseQueue, finishQueue];

export interface JobTask {
  transcriptionId: string;
}

export interface ChunkTask extends JobTask {
  index: number;
}
