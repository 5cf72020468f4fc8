import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Logger } from '../telemetry/telemetry.ts';
import type { Database } from './database.ts';
import type { DedicatedConnection } from './dedicated-connection.ts';

/** `undefined`: anything may have changed, because for a while nobody listened. */
export type NotificationListener = (payload: string | undefined) => void;

/** What a part needs that wants to be told. */
export interface Announcements {
  hear(channel: string, listener: NotificationListener): void;
  /** Whether what the database announces is known to arrive; while it is not, one has to look oneself. */
  readonly arrive: boolean;
}

const reconnectMsMin = 250;
const reconnectMsMax = 10_000;
/** A pooler stays where it is. */
const withoutEchoPauseMs = 60_000;
const echoWithinMs = 3_000;
/** Everybody looks again this often, whatever was announced. */
const lookEveryMs = 5_000;
const echoChannel = 'longhand_echo';

type NotificationsDeps = {
  db: Pick<Database, 'dedicatedConnection' | 'query'>;
  clock: Clock;
  logger: Logger;
};

/** What the database announces, over one connection for the whole process, however many listen. */
export class Notifications implements Announcements {
  readonly #deps: NotificationsDeps;
  readonly #channels: readonly string[];
  readonly #listeners = new Map<string, Set<NotificationListener>>();
  readonly #stopping = new AbortController();
  readonly #stopLooking: () => void;
  readonly #running: Promise<void>;
  #arrive = false;
  #wasTold = false;

  constructor(deps: NotificationsDeps, channels: readonly string[]) {
    this.#deps = deps;
    this.#channels = channels;
    this.#stopLooking = deps.clock.every(lookEveryMs, () => this.#tellAll());
    this.#running = this.#listenOn();
  }

  get arrive(): boolean {
    return this.#arrive;
  }

  hear(channel: string, listener: NotificationListener): void {
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
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
        pauseMs = (await this.#listenOnce()) ? reconnectMsMin : withoutEchoPauseMs;
      } catch (error) {
        logger.warn({ err: error }, 'the database cannot be listened to; trying again');
      }
      await clock.sleep(pauseMs, signal).catch(() => {});
    }
  }

  /** Until the connection is lost, or listening ends. False when nothing arrives over it. */
  async #listenOnce(): Promise<boolean> {
    const connection = await this.#deps.db.dedicatedConnection('longhand notifications');
    try {
      if (!(await this.#hearsEcho(connection))) return this.#stopping.signal.aborted;
      for (const channel of this.#channels)
        await connection.listen(channel, (payload) => this.#tell(channel, payload));
      this.#arrive = true;
      this.#tellAll();
      await Promise.race([connection.lost, this.#stopped()]);
      return true;
    } finally {
      this.#arrive = false;
      await closed(connection);
    }
  }

  /** Behind a pooler LISTEN succeeds and nothing ever arrives: only trying tells. */
  async #hearsEcho(connection: DedicatedConnection): Promise<boolean> {
    const { db, clock, logger } = this.#deps;
    const sent = randomUUID();
    const heard = Promise.withResolvers<boolean>();
    await connection.listen(echoChannel, (payload) => payload === sent && heard.resolve(true));
    await db.query('select pg_notify($1, $2)', [echoChannel, sent]);
    const waited = new AbortController();
    const late = clock.sleep(echoWithinMs, waited.signal).then(
      () => false,
      () => false,
    );
    const isHeard = await Promise.race([heard.promise, late, this.#stopped().then(() => false)]);
    waited.abort();
    if (isHeard || this.#stopping.signal.aborted) return isHeard;
    await connection.query('unlisten *');
    if (!this.#wasTold)
      logger.warn(
        'What the database announces does not arrive, as behind a pooler in transaction mode: it is looked at every second instead. Set LONGHAND_DATABASE_DIRECT_URL to the address of the server itself.',
      );
    this.#wasTold = true;
    return false;
  }

  #stopped(): Promise<void> {
    const { signal } = this.#stopping;
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  }

  #tellAll(): void {
    for (const channel of this.#channels) this.#tell(channel, undefined);
  }

  #tell(channel: string, payload: string | undefined): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener(payload);
  }
}

async function closed(connection: DedicatedConnection): Promise<void> {
  await connection.close().catch(() => {}); // A connection that is lost cannot be closed.
}
