import type { Clock } from './clock.ts';

export interface KeyedLimitOptions {
  /** Of one key. */
  atOnce: number;
  waitingMax: number;
  waitMs: number;
  clock: Clock;
}

/** Thrown by `run` when the work was not begun: too many wait, or it waited for too long. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
}

interface Queue {
  running: number;
  /** In the order of their arrival. */
  waiting: Set<() => void>;
}

/**
 * Work of one key a few at a time. For transactions that would wait for each other's row lock anyway: here they wait
 * without a connection, which others need.
 */
export class KeyedLimit {
  readonly #options: KeyedLimitOptions;
  readonly #queues = new Map<string, Queue>();

  constructor(options: KeyedLimitOptions) {
    this.#options = options;
  }

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const queue = this.#queues.get(key) ?? { running: 0, waiting: new Set() };
    this.#queues.set(key, queue);
    if (queue.running >= this.#options.atOnce) await this.#turn(queue);
    else queue.running += 1;
    try {
      return await work();
    } finally {
      const [next] = queue.waiting;
      if (next) {
        queue.waiting.delete(next);
        next();
      } else queue.running -= 1;
      if (queue.running === 0) this.#queues.delete(key);
    }
  }

  /** Whoever leaves hands its turn over. */
  async #turn({ waiting }: Queue): Promise<void> {
    const { waitingMax, waitMs, clock } = this.#options;
    if (waiting.size >= waitingMax) throw new LimitReached('too many wait');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const limit = clock.timeout(waitMs);
    const giveUp = () => {
      if (waiting.delete(resolve)) reject(new LimitReached(`no turn in ${waitMs} ms`));
    };
    limit.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
    } finally {
      limit.removeEventListener('abort', giveUp);
    }
  }
}
