import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Stage } from '../transcription.ts';
import { transcriptionStore } from '../transcription-store.ts';

/** Readers are told at most this often how far a stage is. */
const reportEveryMs = 1_000;

/** Where a job is, for whoever follows it. A report that cannot be written is left out: the work does not depend on it. */
export class StageReport {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #transcriptionId: string;
  #stage: Stage = 'queued';
  #reportedMs = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | undefined;

  constructor({ db, clock }: { db: Queryable; clock: Clock }, transcriptionId: string) {
    this.#db = db;
    this.#clock = clock;
    this.#transcriptionId = transcriptionId;
  }

  async enter(stage: Stage): Promise<void> {
    await this.#writing;
    this.#stage = stage;
    await this.#write(0);
  }

  /** Returns at once; `total` 0: not known. */
  progress(done: number, total: number): void {
    const isEarly = this.#clock.now() - this.#reportedMs < reportEveryMs;
    if (total <= 0 || isEarly || this.#writing) return;
    this.#writing = this.#write(Math.min(1, done / total)).finally(() => {
      this.#writing = undefined;
    });
  }

  /** Before the stage is changed by somebody else: nothing of it comes late. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  async #write(fraction: number): Promise<void> {
    this.#reportedMs = this.#clock.now();
    await transcriptionStore
      .markStage(this.#db, this.#transcriptionId, { stage: this.#stage, fraction })
      .catch(() => {});
  }
}
