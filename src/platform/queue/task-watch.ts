import type { Clock } from '../clock.ts';
import type { Announcements } from '../database/notifications.ts';
import type { Logger } from '../telemetry/telemetry.ts';
import type { TaskStore } from './task-store.ts';

export interface TaskWatchDeps {
  store: Pick<TaskStore, 'look' | 'supervise'>;
  clock: Clock;
  logger: Logger;
  announcements: Announcements | undefined;
  /** Where nothing is announced. */
  pollMs: number;
  /** The queues from which this process would take a task now. */
  waiting(): string[];
  wake(name: string): void;
}

/** Where tasks are announced this is only for what was not: tasks of dead workers, and those due again later. */
const announcedPollMs = 5_000;
const superviseEveryMs = 5_000;
/** Tasks that are due later, of which this process knows when; the poll finds the others. */
const timersMax = 1_000;

/** Wakes whoever takes tasks: when one is announced, when one is due again, and now and then to be sure. */
export class TaskWatch {
  readonly #deps: TaskWatchDeps;
  readonly #stopping = new AbortController();
  readonly #stopPolling: () => void;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  #looking: Promise<void> | undefined;
  #timers = 0;
  #failures = 0;

  constructor(deps: TaskWatchDeps) {
    this.#deps = deps;
    this.#stopPolling = deps.clock.every(deps.pollMs, () => this.#poll());
  }

  /** `undefined`: something may have been missed. */
  announced(payload: string | undefined): void {
    if (payload === undefined) return;
    const [name = '', delayMs = '0'] = payload.split(' ');
    if (Number(delayMs) > 0) void this.#wakeLater(name, Number(delayMs));
    else this.#deps.wake(name);
  }

  async stop(): Promise<void> {
    this.#stopPolling();
    this.#stopping.abort();
    await this.#looking;
  }

  async #wakeLater(name: string, delayMs: number): Promise<void> {
    if (this.#timers >= timersMax) return;
    this.#timers += 1;
    const waited = await this.#deps.clock.sleep(delayMs, this.#stopping.signal).then(
      () => true,
      () => false,
    );
    this.#timers -= 1;
    if (waited) this.#deps.wake(name);
  }

  #poll(): void {
    const { clock, announcements, pollMs } = this.#deps;
    const sinceMs = clock.now() - this.#lookedAtMs;
    const names = this.#deps.waiting();
    const everyMs = announcements?.arrive ? Math.max(announcedPollMs, pollMs) : pollMs;
    // Without a slot there is nothing to look for; somebody has to look after dead workers' tasks all the same.
    if (sinceMs < (names.length > 0 ? everyMs : superviseEveryMs) || this.#looking) return;
    this.#lookedAtMs = clock.now();
    this.#looking = this.#look(names).finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(names: readonly string[]): Promise<void> {
    const { store, wake, logger } = this.#deps;
    try {
      const { due, isSuperviseDue } = await store.look(names);
      for (const name of due) wake(name);
      if (isSuperviseDue && (await store.supervise())) {
        const freed = await store.look(names);
        for (const name of freed.due) wake(name);
      }
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0) logger.warn({ err: error }, 'tasks could not be looked for; trying again');
      this.#failures += 1;
    }
  }
}
