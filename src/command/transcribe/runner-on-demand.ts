import type { FinishedJob, Follower, JobOptions, JobRunner } from './job-runner.ts';
import type { Recording } from './recordings.ts';

/** A runner that costs nothing while there is no work: opened by the first job, closed when it is told to rest. */
export class RunnerOnDemand implements JobRunner {
  readonly #open: () => Promise<JobRunner>;
  #opened: Promise<JobRunner> | undefined;
  #running = 0;

  constructor(open: () => Promise<JobRunner>) {
    this.#open = open;
  }

  async run(recording: Recording, options: JobOptions, follower: Follower): Promise<FinishedJob> {
    this.#running += 1;
    try {
      this.#opened ??= this.#open();
      const runner = await this.#opened.catch((error: unknown) => {
        this.#opened = undefined;
        throw error;
      });
      return await runner.run(recording, options, follower);
    } finally {
      this.#running -= 1;
    }
  }

  /** Gives back what it holds, unless a job runs. */
  async rest(): Promise<void> {
    if (this.#running === 0) await this.close();
  }

  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    await (await opened?.catch(() => undefined))?.close();
  }
}
