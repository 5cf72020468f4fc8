import { randomUUID } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Logger } from '../../platform/telemetry/telemetry.ts';
import { type LostWorker, type WorkerDescription, workerStore } from './worker-store.ts';

const heardEveryMs = 10_000;
/** A worker that was not heard from for this long is taken for dead. */
const silentSecondsMax = 30;
/** Longer than that: it is logged once and its row removed. */
const lostSeconds = 60;

export interface WorkerPresenceDeps {
  db: Queryable;
  logger: Logger;
  about: WorkerDescription;
  /** Rejects while this worker could not do a job; it is silent then, as if it were not there. */
  expectFit(): Promise<void>;
}

/** A worker's sign of life, kept in the database so that every API process can see it. */
export class WorkerPresence {
  readonly #id = randomUUID();
  readonly #deps: WorkerPresenceDeps;
  #stopTelling: () => void = () => {};
  #isTelling = false;

  constructor(deps: WorkerPresenceDeps) {
    this.#deps = deps;
  }

  async start(clock: Clock): Promise<void> {
    await this.#tellIfFit();
    this.#stopTelling = clock.every(heardEveryMs, () => {
      this.#tellIfFit().catch((error) =>
        this.#deps.logger.warn({ err: error }, 'the sign of life could not be written'),
      );
    });
  }

  async stop(): Promise<void> {
    this.#stopTelling();
    await workerStore.delete(this.#deps.db, this.#id);
  }

  async #tellIfFit(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      const { db, about } = this.#deps;
      if (await isFit(this.#deps)) await workerStore.tell(db, this.#id, about);
    } finally {
      this.#isTelling = false;
    }
  }
}

async function isFit({ expectFit }: WorkerPresenceDeps): Promise<boolean> {
  return expectFit().then(
    () => true,
    () => false, // Who knows why has said so.
  );
}

/** Forgets workers that died without saying so; each is given once. One that lives after all tells so again. */
export async function takeLostWorkers(db: Queryable): Promise<LostWorker[]> {
  return await workerStore.takeSilent(db, lostSeconds);
}

/** Whether any worker able to recognise speech was heard from lately. */
export async function isProcessingAvailable(db: Queryable): Promise<boolean> {
  return await workerStore.isAnyHeard(db, silentSecondsMax);
}

/** What the workers that were heard from lately have installed. */
export async function installedModels(db: Queryable): Promise<Set<string>> {
  return await workerStore.models(db, silentSecondsMax);
}

/** Whether nobody else could do what this worker cannot. */
export async function isOnlyWorker(db: Queryable): Promise<boolean> {
  return !(await workerStore.areSeveralHeard(db, silentSecondsMax));
}
