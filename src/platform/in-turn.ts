import type { Clock } from './clock.ts';

export interface InTurnOptions {
  /** Of one key. */
  atOnce: number;
  waitingMax: number;
  waitMs: number;
  clock: Clock;
}

/** Thrown by `run` when the work was not begun: too many wait, or it waited for too long. */
export class NoTurn extends Error {
  override readonly name = 'NoTurn';
}

interface Line {
  running: number;
  /** In the order of their arrival. */
  waiting: Set<() => void>;
}

/**
 * Work of one key a few at a time. For transactions that would wait for each other's row lock anyway: here they wait
 * without a connection, which others need.
 */
export class InTurn {
  readonly #options: InTurnOptions;
  readonly #lines = new Map<string, Line>();

  constructor(options: InTurnOptions) {
    this.#options = options;
  }

  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(key) ?? { running: 0, waiting: new Set() };
    this.#lines.set(key, line);
    if (line.running >= this.#options.atOnce) await this.#turn(line);
    else line.running += 1;
    try {
      return await work();
    } finally {
      const [next] = line.waiting;
      if (next) {
        line.waiting.delete(next);
        next();
      } else line.running -= 1;
      if (line.running === 0) this.#lines.delete(key);
    }
  }

  /** Whoever leaves hands its turn over. */
  async #turn({ waiting }: Line): Promise<void> {
    const { waitingMax, waitMs, clock } = this.#options;
    if (waiting.size >= waitingMax) throw new NoTurn('too many wait');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    waiting.add(resolve);
    const limit = clock.timeout(waitMs);
    const giveUp = () => {
      if (waiting.delete(resolve)) reject(new NoTurn(`no turn in ${waitMs} ms`));
    };
    limit.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
    } finally {
      limit.removeEventListener('abort', giveUp);
    }
  }
}
