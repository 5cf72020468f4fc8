import type { Clock } from '../clock.ts';
import type { Logger } from '../telemetry/telemetry.ts';
import type { TakenTask, TaskStore } from './task-store.ts';
import { Turns } from './turns.ts';

export interface TaskLoopOptions {
  /** Tasks that run at once. */
  concurrency: number;
  /** Of these, how many may be of one lane: the rest is free for others at any time. */
  perLaneMax?: number;
  /** While it gives false, tasks are left to other workers. */
  mayTake?: () => boolean;
}

export interface TaskLoopDeps<Data extends object> {
  name: string;
  options: TaskLoopOptions;
  store: TaskStore;
  clock: Clock;
  logger: Logger;
  /** Works on a task and settles it; never rejects. Answers how long tasks of its lane are to be left to others. */
  run(task: TakenTask<Data>): Promise<{ avoidMs: number }>;
}

const firstPauseMs = 400;
const pauseMsMax = 10_000;

/** Takes the tasks of one queue, lane by lane in turns, into its slots; looks when it is woken, or has a slot again. */
export class TaskLoop<Data extends object> {
  readonly #deps: TaskLoopDeps<Data>;
  readonly #turns: Turns;
  #busy = 0;
  #wakeUp: (() => void) | undefined;
  /** It was woken while it was just looking, perhaps a moment too early. */
  #woken = false;
  #failures = 0;

  constructor(deps: TaskLoopDeps<Data>) {
    this.#deps = deps;
    this.#turns = new Turns(deps.options.perLaneMax);
  }

  wake(): void {
    if (this.#wakeUp) this.#wakeUp();
    else this.#woken = true;
  }

  /** Whether it would take a task now. */
  get hasFreeSlot(): boolean {
    return this.#free() > 0;
  }

  async run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const free = this.#free();
      const found = free > 0 ? await this.#take(free, stopping) : 0;
      if (found === 0 || !this.hasFreeSlot) await this.#wait(stopping);
    }
  }

  #free(): number {
    const { concurrency, mayTake = () => true } = this.#deps.options;
    return mayTake() ? concurrency - this.#busy : 0;
  }

  /** Fills the free slots as far as there are tasks, and starts them. */
  async #take(free: number, stopping: AbortSignal): Promise<number> {
    const { name, store, logger } = this.#deps;
    let found = 0;
    this.#woken = false;
    try {
      const lanes = new Set(await store.lanes(name));
      for (;;) {
        const lane = this.#turns.next(lanes, this.#deps.clock.now());
        if (lane === undefined || found >= free) break;
        // Where nobody else waits, one look brings as many as there are free slots.
        const wanted = lanes.size === 1 ? Math.min(free - found, this.#turns.free(lane)) : 1;
        const tasks = await store.take<Data>(name, lane, wanted);
        if (tasks.length < wanted) lanes.delete(lane);
        for (const task of tasks) this.#start(task);
        found += tasks.length;
      }
      if (this.#failures > 0) logger.info({ queue: name }, 'the queue can be read again');
      this.#failures = 0;
    } catch (error) {
      if (this.#failures === 0)
        logger.warn({ err: error, queue: name }, 'the queue cannot be read; trying again');
      const pauseMs = Math.min(pauseMsMax, firstPauseMs * 2 ** this.#failures);
      this.#failures += 1;
      await this.#deps.clock.sleep(pauseMs, stopping).catch(() => {});
      this.#woken = true;
    }
    return found;
  }

  #start(task: TakenTask<Data>): void {
    const { lane } = task;
    this.#busy += 1;
    this.#turns.started(lane);
    this.#deps.run(task).then(({ avoidMs }) => {
      this.#busy -= 1;
      this.#turns.ended(lane);
      if (avoidMs > 0) this.#turns.avoid(lane, this.#deps.clock.now() + avoidMs);
      this.wake();
    });
  }

  async #wait(stopping: AbortSignal): Promise<void> {
    if (this.#woken || stopping.aborted) {
      this.#woken = false;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wakeUp = resolve;
    await promise;
    this.#wakeUp = undefined;
  }
}
