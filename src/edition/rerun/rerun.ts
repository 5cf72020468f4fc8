/** A passage of a finished transcript that is recognised again. */
import type { QueueDefinition } from '../../platform/queue/task-store.ts';
import type { TranscriptionOptions } from '../../transcription/transcription.ts';

/** Why nothing was replaced; the page has a sentence for each. */
export type RerunFailureCode =
  /** Somebody changed the lines meanwhile. */
  | 'changed'
  | 'media_gone'
  | 'media_unreadable'
  | 'model_missing'
  | 'no_words'
  /** No worker came to it in time. */
  | 'expired'
  /** Its owner took it back, or asked anew; it is not told any more. */
  | 'withdrawn'
  | 'internal';

export interface Rerun {
  id: string;
  status: 'waiting' | 'done' | 'failed';
  lines: (RerunLine & { startMs: number; endMs: number })[];
  /** The stretch that is listened to: the lines, and as much of the pauses around as their speech may reach into. */
  startMs: number;
  endMs: number;
  language: string | null;
  engine: string | null;
  /** From 0 to 1; null until a worker has begun. */
  progress: number | null;
  failure: RerunFailureCode | null;
  /** The write of the edition that brought the new lines. */
  revision: number | null;
}

/** A line that is to be replaced, as its owner saw it. */
export interface RerunLine {
  id: string;
  revision: number;
}

/** A rerun with what a worker needs to know of its job. */
export interface RunningRerun extends Rerun {
  transcriptionId: string;
  accountId: string;
  /** Of the job. */
  options: TranscriptionOptions;
}

/** With the job's id, by which the tasks of a deleted job are found. */
export interface RerunTask {
  transcriptionId: string;
  rerunId: string;
}

/** Ten minutes of speech take a slow machine as long as that. */
export const rerunQueue: QueueDefinition = { name: 'rerun', expireSeconds: 30 * 60, retrySeconds: 1 };

/** Ends a rerun: another try would end the same. */
export class RerunFailure extends Error {
  override readonly name = 'RerunFailure';
  readonly code: RerunFailureCode;

  constructor(code: RerunFailureCode, cause?: unknown) {
    super(`a passage was not recognised again: ${code}`, { cause });
    this.code = code;
  }
}
