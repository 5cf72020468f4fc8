import type { ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '../platform/clock.ts';
import type { JobEvent } from '../transcription/feed/job-feed.ts';
import type { JobFeeds } from '../transcription/feed/job-feeds.ts';
import type { Progress } from '../transcription/progress.ts';
import type { EndedTranscription } from '../transcription/transcription.ts';

/** Clients give up after a minute unless they were told otherwise. */
export const waitMs = 50_000;
/** One who waits is told no more often how far it is, however fast the job comes on. */
export const progressEveryMs = 3_000;
const waitsMax = 5_000;
const waitsPerAccountMax = 1_000;

/** What a wait ended with: the job's end, or how far it was when it was last looked at. */
export type Waited =
  | { kind: 'ended'; job: EndedTranscription }
  | { kind: 'going-on'; progress: Progress | undefined };

/** Requests of agents that wait for jobs. One that cannot wait is answered at once with how far the job is. */
export class JobWaits {
  readonly #deps: { feeds: JobFeeds; clock: Clock };
  readonly #counts = new Map<string, number>();
  readonly #closing = new AbortController();
  #total = 0;

  constructor(deps: { feeds: JobFeeds; clock: Clock }) {
    this.#deps = deps;
  }

  /** Every wait ends at once: its caller hears that the job goes on. */
  close(): void {
    this.#closing.abort();
  }

  /** Whether somebody of the account waits for it already: then it need not be looked for. */
  isWaitedFor(job: { accountId: string; id: string }): boolean {
    return this.#deps.feeds.isFollowed(job);
  }

  /** For a job that the account is known to have. */
  async untilEnded(
    { accountId, id }: { accountId: string; id: string },
    context: ServerContext,
  ): Promise<Waited> {
    const own = this.#counts.get(accountId) ?? 0;
    const isFull = this.#total >= waitsMax || own >= waitsPerAccountMax;
    const limit = this.#deps.clock.timeout(isFull ? 1 : waitMs);
    const signal = AbortSignal.any([context.mcpReq.signal, this.#closing.signal, limit]);
    // Past every segment: the text comes with the end.
    const job = { accountId, id, sequence: Number.POSITIVE_INFINITY };
    this.#total += 1;
    this.#counts.set(accountId, own + 1);
    try {
      return await this.#read(this.#deps.feeds.followOwned(job, signal), context);
    } finally {
      this.#total -= 1;
      const left = (this.#counts.get(accountId) ?? 1) - 1;
      if (left > 0) this.#counts.set(accountId, left);
      else this.#counts.delete(accountId);
    }
  }

  async #read(events: AsyncIterable<JobEvent>, context: ServerContext): Promise<Waited> {
    const { clock } = this.#deps;
    let progress: Progress | undefined;
    let toldPercent = -1;
    let nextMs = 0;
    for await (const event of events) {
      if (event.kind === 'ended') return { kind: 'ended', job: event.job };
      if (event.kind !== 'progress') continue;
      progress = event.progress;
      if (progress.percent > toldPercent && clock.now() >= nextMs) {
        toldPercent = progress.percent;
        nextMs = clock.now() + progressEveryMs;
        await tellProgress(context, progress);
      }
    }
    return { kind: 'going-on', progress };
  }
}

async function tellProgress(context: ServerContext, progress: Progress): Promise<void> {
  const progressToken = context.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return;
  const params = {
    progressToken,
    progress: progress.percent,
    total: 100,
    message: progressSentence(progress),
  };
  // Whoever is gone is noticed by the signal.
  await context.mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
}

export function progressSentence({ stage, percent, secondsLeft }: Progress): string {
  return `${stage}, ${percent} %${secondsLeft === null ? '' : `, about ${secondsLeft} s left`}`;
}
