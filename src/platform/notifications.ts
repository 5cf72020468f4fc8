import type { Clock } from './clock.ts';
import type { Database, DatabaseSession } from './database.ts';
import type { Logger } from './telemetry.ts';

/** `undefined`: anything may have changed, because for a while nobody listened. */
export type Hear = (payload: string | undefined) => void;

const reconnectMsMin = 250;
const reconnectMsMax = 10_000;
/** Where notifications do not arrive, behind a pooler for instance, everybody looks again this often. */
const lookEveryMs = 5_000;

/** What the database announces on one channel, over one connection for the whole process, however many listen. */
export class Notifications {
  readonly #deps: { db: Pick<Database, 'holdSession'>; clock: Clock; logger: Logger };
  readonly #channel: string;
  readonly #listeners = new Set<Hear>();
  readonly #stopping = new AbortController();
  readonly #stopLooking: () => void;
  readonly #running: Promise<void>;

  constructor(deps: { db: Pick<Database, 'holdSession'>; clock: Clock; logger: Logger }, channel: string) {
    this.#deps = deps;
    this.#channel = channel;
    this.#stopLooking = deps.clock.every(lookEveryMs, () => this.#tell(undefined));
    this.#running = this.#listenOn();
  }

  hear(listener: Hear): void {
    this.#listeners.add(listener);
  }

  async stop(): Promise<void> {
    this.#stopLooking();
    this.#stopping.abort();
    await this.#running;
  }

  async #listenOn(): Promise<void> {
    const { clock, logger } = this.#deps;
    const { signal } = this.#stopping;
    for (let pauseMs = reconnectMsMin; !signal.aborted; pauseMs = Math.min(2 * pauseMs, reconnectMsMax)) {
      try {
        const wasListening = await this.#listenOnce();
        if (wasListening) pauseMs = reconnectMsMin;
      } catch (error) {
        logger.warn({ err: error }, 'the database cannot be listened to; trying again');
      }
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
  }

  /** Until the connection is lost, or listening ends. */
  async #listenOnce(): Promise<boolean> {
    const session = await this.#deps.db.holdSession('longhand notifications');
    try {
      await session.listen(this.#channel, (payload) => this.#tell(payload));
      this.#tell(undefined);
      await Promise.race([session.lost, this.#stopped()]);
      return true;
    } finally {
      await closed(session);
    }
  }

  #stopped(): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  #tell(payload: string | undefined): void {
    for (const listener of this.#listeners) listener(payload);
  }
}

async function closed(session: DatabaseSession): Promise<void> {
  await session.close().catch(() => {}); // A connection that is lost cannot be closed.
}
