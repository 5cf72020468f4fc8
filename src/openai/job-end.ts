/** Waiting for a job, for a caller that holds its request open. */
import type { Clock } from '../platform/clock.ts';
import { isOwnFault } from '../transcription/failure.ts';
import type { JobFeeds } from '../transcription/feed/job-feeds.ts';
import type {
  CompletedTranscription,
  EndedTranscription,
  FailedTranscription,
} from '../transcription/transcription.ts';
import { OpenAiError } from './openai-error.ts';

export interface JobEndDeps {
  feeds: JobFeeds;
  clock: Clock;
  /** How long a request is held open for its answer. */
  waitSeconds: number;
}

/** Text is not wanted before the end. */
const noText = Number.MAX_SAFE_INTEGER;

/** The job when it is completed. `left` aborts when the caller is gone; then there is nobody to answer, and the job goes on. */
export async function completedJob(
  { feeds, clock, waitSeconds }: JobEndDeps,
  { accountId, id }: { accountId: string; id: string },
  left: AbortSignal,
): Promise<CompletedTranscription> {
  const limit = clock.timeout(waitSeconds * 1000);
  const signal = AbortSignal.any([left, limit]);
  const events = (await feeds.follow({ accountId, id, sequence: noText }, signal)) ?? [];
  for await (const event of events) if (event.kind === 'ended') return completed(event.job);
  if (!signal.aborted) throw deletedJob();
  if (left.aborted) throw new OpenAiError('The caller has left.', { status: 499 });
  throw stillRunning(id, waitSeconds);
}

export function completed(job: EndedTranscription): CompletedTranscription {
  if (job.status === 'completed') return job;
  throw failedJob(job);
}

export function deletedJob(): OpenAiError {
  return new OpenAiError('This transcription was deleted before it was done.', {
    status: 404,
    code: 'not_found',
  });
}

function failedJob({ error, errorCode }: FailedTranscription): OpenAiError {
  if (isOwnFault(errorCode)) return new OpenAiError(error, { status: 500, code: errorCode });
  return new OpenAiError(error, { param: 'file', code: errorCode ?? 'transcription_failed' });
}

function stillRunning(id: string, waitSeconds: number): OpenAiError {
  const path = `/api/v1/transcriptions/${id}`;
  return new OpenAiError(
    `This transcription takes longer than the ${waitSeconds} s for which a request is held open. Nothing is lost: GET ${path} gives it when it is done, the same request joins it, and with stream=true the text comes while it is made.`,
    { status: 504, code: 'transcription_running', headers: { location: path } },
  );
}
