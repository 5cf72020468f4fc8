/**
 * Looks of many callers in one statement. One is under way at a time; whoever asks meanwhile is served by the next, which
 * begins after the question: nobody gets an answer that is older than what he asked.
 */
export class GatheredLook<Key, Value> {
  readonly #look: (keys: Key[]) => Promise<ReadonlyMap<Key, Value>>;
  #next: { keys: Set<Key>; found: Promise<ReadonlyMap<Key, Value>> } | undefined;
  #lastEnded: Promise<unknown> = Promise.resolve();

  constructor(look: (keys: Key[]) => Promise<ReadonlyMap<Key, Value>>) {
    this.#look = look;
  }

  async find(key: Key): Promise<Value | undefined> {
    this.#next ??= this.#gather();
    const { keys, found } = this.#next;
    keys.add(key);
    return (await found).get(key);
  }

  #gather() {
    const keys = new Set<Key>();
    const found = this.#lastEnded.then(() => {
      this.#next = undefined;
      return this.#look([...keys]);
    });
    this.#lastEnded = found.catch(() => {});
    return { keys, found };
  }
}
