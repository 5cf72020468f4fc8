/**
 * Writes items in batches of whatever came in while the batch before was being written: a lone item is written at
 * once, a crowd shares one statement.
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

export class Batch<Item> {
  readonly #write: (items: readonly Item[]) => Promise<void>;
  #waiting: Waiting<Item>[] = [];
  #writing = false;

  constructor(write: (items: readonly Item[]) => Promise<void>) {
    this.#write = write;
  }

  add(item: Item): Added {
    const waiting = { item, sent: Promise.withResolvers<void>(), written: Promise.withResolvers<void>() };
    this.#waiting.push(waiting);
    if (!this.#writing) void this.#writeAll();
    return { sent: waiting.sent.promise, written: waiting.written.promise };
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      // Answers that were sent together arrive together: one turn of the event loop gathers them.
      await eventLoopTurn();
      const batch = this.#waiting;
      this.#waiting = [];
      const writing = this.#writeBatch(batch);
      // The driver has passed the statement to the kernel by then, and the server reads it from there.
      await eventLoopTurn();
      for (const { sent } of batch) sent.resolve();
      await writing;
    }
    this.#writing = false;
  }

  async #writeBatch(batch: readonly Waiting<Item>[]): Promise<void> {
    try {
      await this.#write(batch.map(({ item }) => item));
      for (const { written } of batch) written.resolve();
    } catch (error) {
      for (const { written } of batch) written.reject(error);
    }
  }
}

function eventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
