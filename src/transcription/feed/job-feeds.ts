import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Announcements } from '../../platform/database/notifications.ts';
import { transcriptionStore } from '../transcription-store.ts';
import { type JobEvent, JobFeed } from './job-feed.ts';

/** The channel on which the database announces changes of jobs; the payload is the job's id. */
export const jobChannel = 'transcription';

interface Followed {
  accountId: string;
  feed: JobFeed;
  readers: number;
}

/** The jobs that are followed in this process: one feed for each, however many read it. */
export class JobFeeds {
  readonly #deps: { db: Queryable; clock: Clock };
  readonly #followed = new Map<string, Followed>();
  constructor(deps: { db: Queryable; clock: Clock }, announcements: Pick<Announcements, 'hear'>) {
    this.#deps = deps;
    announcements.hear(jobChannel, (id) => {
      if (id !== undefined) this.#followed.get(id)?.feed.invalidate();
      else for (const { feed } of this.#followed.values()) feed.invalidate();
    });
  }

  /** Undefined when the account has no such job. The events are those after `sequence`. */
  async follow(
    { accountId, id, sequence }: { accountId: string; id: string; sequence: number },
    signal: AbortSignal,
  ): Promise<AsyncIterable<JobEvent> | undefined> {
    const job = { accountId, id };
    if (!this.isFollowed(job) && !(await transcriptionStore.isOwned(this.#deps.db, accountId, id)))
      return undefined;
    return this.followOwned({ ...job, sequence }, signal);
  }

  /** Whether somebody of the account reads it while it runs: then it need not be looked for. */
  isFollowed({ accountId, id }: { accountId: string; id: string }): boolean {
    const followed = this.#followed.get(id);
    return followed?.accountId === accountId && followed.feed.isOpen;
  }

  /** For one who knows that the account has the job. */
  async *followOwned(
    { accountId, id, sequence }: { accountId: string; id: string; sequence: number },
    signal: AbortSignal,
  ): AsyncGenerator<JobEvent> {
    const known = this.#followed.get(id);
    const followed = known ?? { accountId, feed: new JobFeed(this.#deps, { accountId, id }), readers: 0 };
    this.#followed.set(id, followed);
    followed.readers += 1;
    try {
      yield* followed.feed.events(sequence, signal);
    } finally {
      followed.readers -= 1;
      if (followed.readers === 0) {
        this.#followed.delete(id);
        followed.feed.close();
      }
    }
  }
}
