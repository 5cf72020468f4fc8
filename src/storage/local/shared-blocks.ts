/** WebAssembly's memory is the only one that threads share and that begins at a page, as unbuffered writes ask for. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number; shared: boolean }) => SharedMemory;
};

export interface SharedMemory {
  readonly buffer: ArrayBufferLike;
}

export interface SharedBlock {
  /** Where it begins in the memory. */
  readonly offset: number;
  readonly bytes: Buffer;
}

export const sharedBlockBytes = 1024 * 1024;
/** Enough for four uploads at full speed; more of them take turns. */
const blockCount = 12;
/** The others go round among those who have enough to fill one at once, however slow the clients are. */
const claimedBlocksMax = blockCount / 2;

const pageBytes = 65_536;
/** The first page belongs to whoever computes on the blocks. */
const blocksOffset = pageBytes;

/**
 * A fixed room of memory through which uploads pass: the main thread fills a block, the disk and the hash thread read
 * it where it is. Whoever takes a block may hold it only for work of our own, never while a client is awaited; half of
 * the blocks may be claimed for what a client is still sending.
 */
export class SharedBlocks {
  readonly memory: SharedMemory;
  readonly #free: SharedBlock[] = [];
  readonly #waiting: ((block: SharedBlock) => void)[] = [];
  readonly #claimed = new Set<SharedBlock>();

  constructor() {
    const pages = (blocksOffset + blockCount * sharedBlockBytes) / pageBytes;
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
    for (let index = blockCount - 1; index >= 0; index -= 1) {
      const offset = blocksOffset + index * sharedBlockBytes;
      this.#free.push({ offset, bytes: Buffer.from(this.memory.buffer, offset, sharedBlockBytes) });
    }
  }

  /** In the order in which they asked. */
  async take(): Promise<SharedBlock> {
    return this.#free.pop() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** A block to be filled while a client sends, if there is one to spare. */
  claim(): SharedBlock | undefined {
    if (this.#claimed.size >= claimedBlocksMax) return undefined;
    const block = this.#free.pop();
    if (block) this.#claimed.add(block);
    return block;
  }

  /** The block is full: no client is awaited any more. */
  filled(block: SharedBlock): void {
    this.#claimed.delete(block);
  }

  give(block: SharedBlock): void {
    this.#claimed.delete(block);
    const next = this.#waiting.shift();
    if (next) next(block);
    else this.#free.push(block);
  }
}
