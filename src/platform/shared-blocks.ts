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

export const sharedBlockBytes = 512 * 1024;
/** Enough for four uploads at full speed; more of them take turns. */
const blockCount = 16;

const pageBytes = 65_536;
/** The first page belongs to whoever computes on the blocks. */
const blocksOffset = pageBytes;

/**
 * A fixed room of memory through which uploads pass: the main thread fills a block, the disk and the hash thread read
 * it where it is. Whoever takes a block may hold it only for work of our own, never while a client is awaited.
 */
export class SharedBlocks {
  readonly memory: SharedMemory;
  readonly #free: SharedBlock[] = [];
  readonly #waiting: ((block: SharedBlock) => void)[] = [];

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

  give(block: SharedBlock): void {
    const next = this.#waiting.shift();
    if (next) next(block);
    else this.#free.push(block);
  }
}
