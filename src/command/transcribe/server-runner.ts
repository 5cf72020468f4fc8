/** Jobs on a server, for commands: what an earlier run of the same command has sent or begun there is gone on with. */
import { stat } from 'node:fs/promises';
import { type CompletedTranscription, type Longhand, LonghandError } from '#longhand-client';
import { segmentWords } from '../../transcript/segment-words.ts';
import { CommandFailure } from '../command-failure.ts';
import type { JobMemory } from './job-memory.ts';
import type { FinishedJob, Follower, JobRunner } from './job-runner.ts';
import type { Recording } from './recordings.ts';
import { ServerJob } from './server-job.ts';
import { spooledInput } from './spooled-input.ts';

export interface ServerRunnerDeps {
  client: Longhand;
  url: string;
  memory: JobMemory;
  /** Nothing that was done before counts. */
  anew: boolean;
}

export function serverRunner(deps: ServerRunnerDeps): JobRunner {
  return {
    async run(recording, { speakers }, follower) {
      try {
        return finished(await transcription(deps, recording, speakers, follower));
      } catch (error) {
        follower.signal.throwIfAborted();
        throw await sentenceFor(error, recording);
      }
    },
    close: async () => {},
  };
}

async function transcription(
  deps: ServerRunnerDeps,
  { media, label: filename }: Recording,
  speakers: boolean,
  follower: Follower,
): Promise<CompletedTranscription> {
  if (media.kind === 'stdin') {
    const { path, remove } = await spooledInput(follower.signal);
    try {
      const job = await ServerJob.of(deps, { media: { kind: 'file', path, filename }, speakers });
      // Never the same again, so nothing of it is kept.
      return await job.done(follower).finally(() => job.forget());
    } finally {
      await remove();
    }
  }
  const source = media.kind === 'link' ? media : { kind: media.kind, path: media.path, filename };
  const job = await ServerJob.of(deps, { media: source, speakers });
  if (deps.anew) await job.forget();
  return await job.done(follower);
}

async function sentenceFor(error: unknown, { media }: Recording): Promise<Error> {
  if (media.kind === 'file') {
    const found = await stat(media.path).catch(() => undefined);
    if (found?.size !== media.sizeBytes)
      return new CommandFailure('The file changed while it was sent; try again when it is complete.');
  }
  if (error instanceof LonghandError) {
    if (error.status === 401) return new KeyRefused(error.message);
    const retry = mayPass(error) ? { retryAfterMs: (error.retryAfter ?? 0) * 1000 } : {};
    return new CommandFailure(error.message, { cause: error, ...retry });
  }
  return error instanceof Error ? error : new Error(String(error));
}

/** Nothing more can be done on this server with this key. */
export class KeyRefused extends CommandFailure {}

/** Nobody answered, or the server asks to come again. */
function mayPass({ code, status }: LonghandError): boolean {
  return code === 'connection_failed' || code === 'timeout' || status === 429 || status >= 500;
}

function finished({ duration_seconds, text, segments }: CompletedTranscription): FinishedJob {
  const plain = segments.map(({ speaker, ...segment }) =>
    speaker === undefined ? segment : { ...segment, speaker },
  );
  return { durationSeconds: duration_seconds, text, segments: plain, words: segmentWords(plain) };
}
