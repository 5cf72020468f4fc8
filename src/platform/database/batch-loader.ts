/**
 * Reads for many callers in one statement. One batch is under way at a time; whoever asks meanwhile is served by the
 * next, which begins after the question: nobody gets an answer that is older than what he asked.
 */
export class BatchLoader<Key, Value> {
  readonly #loadBatch: (keys: Key[]) => Promise<ReadonlyMap<Key, Value>>;
  #next: { keys: Set<Key>; found: Promise<ReadonlyMap<Key, Value>> } | undefined;
  #lastEnded: Promise<unknown> = Promise.resolve();

  constructor(loadBatch: (keys: Key[]) => Promise<ReadonlyMap<Key, Value>>) {
    this.#loadBatch = loadBatch;
  }

  async load(key: Key): Promise<Value | undefined> {
    this.#next ??= this.#openBatch();
    const { keys, found } = this.#next;
    keys.add(key);
    return (await found).get(key);
  }

  #openBatch() {
    const keys = new Set<Key>();
    const found = this.#lastEnded.then(() => {
      this.#next = undefined;
      return this.#loadBatch([...keys]);
    });
    this.#lastEnded = found.catch(() => {});
    return { keys, found };
  }
}
