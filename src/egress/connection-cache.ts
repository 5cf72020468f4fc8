import type { Pool } from 'undici';

/** Origins with open connections at once; beyond it the one that was not used for longest is closed. */
const originsMax = 256;

/**
 * An idle connection is used again within two seconds only: enough for a burst of events, and shorter than any
 * receiver's own patience, so that a request seldom meets a connection that is just being closed.
 */
export const keptOptions = { keepAliveTimeout: 2_000, keepAliveMaxTimeout: 2_000 } as const;

/** Open connections by origin, the longest unused first. */
export class ConnectionCache {
  readonly #pools = new Map<string, Pool>();

  of(origin: string, open: () => Pool): Pool {
    const pool = this.#pools.get(origin) ?? open();
    this.#pools.delete(origin);
    this.#pools.set(origin, pool);
    if (this.#pools.size > originsMax) this.#closeOldest();
    return pool;
  }

  async close(): Promise<void> {
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  /** Its running requests still end. */
  #closeOldest(): void {
    const [oldest] = this.#pools.entries();
    if (!oldest) return;
    this.#pools.delete(oldest[0]);
    oldest[1].close().catch(() => {});
  }
}
