/**
 * Writes items in batches: of whatever came in while the batch before was being written, and of what comes within a
 * moment where nobody waits for it. An urgent item is written at once, a crowd shares one statement.
 */
export interface Added {
  /** The statement with this item is on its way: it will be carried out even if this process is killed now. */
  sent: Promise<void>;
  /** Rejects when the batch could not be written. */
  written: Promise<void>;
}

interface Waiting<Item> {
  item: Item;
  sent: PromiseWithResolvers<void>;
  written: PromiseWithResolvers<void>;
}

export interface BatchOptions<Item> {
  write(items: readonly Item[]): Promise<void>;
  /** Resolves after the moment that items without haste may wait, or when the signal aborts. */
  linger?(signal: AbortSignal): Promise<void>;
}

export class Batch<Item> {
  readonly #options: BatchOptions<Item>;
  #waiting: Waiting<Item>[] = [];
  #writing = false;
  #hasUrgent = false;
  #endLingering: AbortController | undefined;

  constructor(options: BatchOptions<Item>) {
    this.#options = options;
  }

  add(item: Item, { urgent = true }: { urgent?: boolean } = {}): Added {
    const waiting = { item, sent: Promise.withResolvers<void>(), written: Promise.withResolvers<void>() };
    this.#waiting.push(waiting);
    if (urgent) this.flush();
    if (!this.#writing) void this.#writeAll();
    return { sent: waiting.sent.promise, written: waiting.written.promise };
  }

  /** What waits is written now. */
  flush(): void {
    this.#hasUrgent = true;
    this.#endLingering?.abort();
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      if (!this.#hasUrgent) await this.#linger();
      // Answers that were sent together arrive together: one turn of the event loop gathers them.
      await eventLoopTurn();
      const batch = this.#waiting;
      this.#waiting = [];
      this.#hasUrgent = false;
      const writing = this.#writeBatch(batch);
      // The driver has passed the statement to the kernel by then, and the server reads it from there.
      await eventLoopTurn();
      for (const { sent } of batch) sent.resolve();
      await writing;
    }
    this.#writing = false;
  }

  async #linger(): Promise<void> {
    this.#endLingering = new AbortController();
    await this.#options.linger?.(this.#endLingering.signal);
    this.#endLingering = undefined;
  }

  async #writeBatch(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.#options.write(batch.map(({ item }) => item));
      for (const { written } of batch) written.resolve();
    } catch (error) {
      for (const { written } of batch) written.reject(error);
    }
  }
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
