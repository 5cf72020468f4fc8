/**
 * Writes items in batches of whatever came in while the batch before was being written: a lone item is written at
 * once, a crowd shares one statement.
 */
export class Batch<Item> {
  readonly #write: (items: readonly Item[]) => Promise<void>;
  #waiting: { item: Item; done: PromiseWithResolvers<void> }[] = [];
  #writing = false;

  constructor(write: (items: readonly Item[]) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves when the item is written; rejects when its batch could not be. */
  async add(item: Item): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#waiting.push({ item, done });
    if (!this.#writing) void this.#writeAll();
    await done.promise;
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      // Answers that were sent together arrive together: one turn of the event loop gathers them.
      await new Promise(setImmediate);
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#write(batch.map(({ item }) => item));
        for (const { done } of batch) done.resolve();
      } catch (error) {
        for (const { done } of batch) done.reject(error);
      }
    }
    this.#writing = false;
  }
}
