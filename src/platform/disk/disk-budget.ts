import { statfs } from 'node:fs/promises';

/** What a disk holds, in bytes. */
export interface DiskSpace {
  freeBytes: number;
  totalBytes: number;
}

export interface DiskBudgetOptions {
  /** Asked for the space, all of them: parts of a data directory may be on disks of their own. */
  space: () => Promise<DiskSpace>;
  /** Never given to anybody; by the size of the disk unless set. */
  reserveBytes?: number | undefined;
  /** Bytes that are promised to others by rows of the database, and have not arrived. */
  promisedBytes?: () => Promise<number>;
}

/** There is not enough room for this now; it may come back. */
export class NoDiskSpace extends Error {
  override readonly name = 'NoDiskSpace';
}

/** Room for bytes that will be written. Whoever holds it gives it back when all is written or given up. */
export interface DiskReservation {
  /** At least so many bytes in all; throws NoDiskSpace. Grows in large steps, so it may be asked before every write. */
  cover(totalBytes: number): Promise<void>;
  /** The same for bytes of which a stranger decides how many come: throws NoDiskSpace beyond `shareOfAvailable`. */
  coverShare(totalBytes: number): Promise<void>;
  /** Throws NoDiskSpace when so many more bytes, reserved by somebody else for the same work, would be beyond it. */
  expectShare(moreBytes: number): Promise<void>;
  /** So many of them are on the disk by now, and seen there. */
  written(totalBytes: number): void;
  release(): void;
}

/** Bytes of a stranger may be so many times the room that is left for everybody: so there is always something left. */
export const shareOfAvailable = 2;
/** For bytes whose number nobody knows before. */
const stepBytes = 16 * 1024 * 1024;
const gibibyte = 1024 ** 3;

/** A gibibyte or a fiftieth of the disk, whichever is more, but never more than a tenth of a small one. */
export function defaultReserveBytes(totalBytes: number): number {
  return Math.floor(Math.min(totalBytes / 10, Math.max(gibibyte, totalBytes / 50)));
}

/**
 * One budget for everything that this process puts on the disk of the data directory. Bytes count from the moment at
 * which they are granted, not when they arrive, so many at once cannot take the same room. Other processes on the disk
 * are seen by what they have written.
 */
export class DiskBudget {
  readonly #options: DiskBudgetOptions;
  readonly #held = new Set<Held>();
  #growing: Promise<void> = Promise.resolve();

  constructor(options: DiskBudgetOptions) {
    this.#options = options;
  }

  /** What can still be granted; below zero when the reserve is broken. */
  async availableBytes(): Promise<number> {
    return this.#left(await this.#measure({ isPromised: false }));
  }

  /** Above the reserve, whatever of it is granted. */
  async freeBytes(): Promise<number> {
    const { freeBytes, reserveBytes } = await this.space();
    return freeBytes - reserveBytes;
  }

  async space(): Promise<DiskSpace & { reserveBytes: number }> {
    const space = await this.#options.space();
    return { ...space, reserveBytes: this.#options.reserveBytes ?? defaultReserveBytes(space.totalBytes) };
  }

  /** Room for exactly so many bytes to begin with, or NoDiskSpace. */
  async reserve(bytes = 0): Promise<DiskReservation> {
    return await this.#hold({ bytes: 0, written: 0, isPromised: false }, bytes);
  }

  /** The same for bytes that a row has promised before: of that promise they need no second room. */
  async receive(bytes: number): Promise<DiskReservation> {
    return await this.#hold({ bytes: 0, written: 0, isPromised: true }, bytes);
  }

  get #outstandingBytes(): number {
    return sum(this.#held, ({ bytes, written }) => bytes - written);
  }

  async #hold(held: Held, bytes: number): Promise<DiskReservation> {
    if (bytes > 0) await this.#grow(held, bytes);
    const cover = async (totalBytes: number) => {
      if (totalBytes <= held.bytes) return;
      await this.#grow(held, Math.max(totalBytes - held.bytes, stepBytes)).catch(async (error) => {
        // The last of the room, where a whole step does not fit.
        if (!(error instanceof NoDiskSpace) || totalBytes - held.bytes >= stepBytes) throw error;
        await this.#grow(held, totalBytes - held.bytes);
      });
    };
    const expectShare = async (moreBytes: number) => {
      const left = this.#left(await this.#measure(held)) - moreBytes;
      if (held.bytes + moreBytes > shareOfAvailable * left)
        throw new NoDiskSpace(
          `the disk has no room for ${held.bytes + moreBytes} bytes beside that of others`,
        );
    };
    return {
      cover,
      expectShare,
      coverShare: async (totalBytes) => {
        if (totalBytes <= held.bytes) return;
        await cover(totalBytes);
        await expectShare(0);
      },
      written: (totalBytes) => {
        held.written = Math.min(totalBytes, held.bytes);
      },
      release: () => this.#held.delete(held),
    };
  }

  /** One after the other: whoever looks sees what the one before holds, or the row that has taken its place. */
  #grow(held: Held, bytes: number): Promise<void> {
    const grown = this.#growing.then(async () => {
      if (this.#left(await this.#measure(held)) < bytes)
        throw new NoDiskSpace(`the disk has no room for ${bytes} more bytes above its reserve`);
      held.bytes += bytes;
      this.#held.add(held);
    });
    this.#growing = grown.catch(() => {});
    return grown;
  }

  async #measure({ isPromised }: Pick<Held, 'isPromised'>): Promise<Measured> {
    const outstandingBytes = this.#outstandingBytes;
    const [freeBytes, promisedBytes] = await Promise.all([
      this.freeBytes(),
      isPromised ? 0 : (this.#options.promisedBytes?.() ?? 0),
    ]);
    return { freeBytes, promisedBytes, outstandingBytes };
  }

  #left({ freeBytes, promisedBytes, outstandingBytes }: Measured): number {
    // A transfer that is under way was promised by a row, too.
    const arriving = sum(this.#held, ({ isPromised, bytes }) => (isPromised ? bytes : 0));
    // Bytes that were written while the disk was asked may be missing in its answer.
    const outstanding = Math.max(outstandingBytes, this.#outstandingBytes);
    return freeBytes - outstanding - Math.max(0, promisedBytes - arriving);
  }
}

interface Measured {
  freeBytes: number;
  promisedBytes: number;
  /** Before the disk was asked. */
  outstandingBytes: number;
}

interface Held {
  bytes: number;
  written: number;
  isPromised: boolean;
}

/** Of several directories: the least free space, and the smallest disk. The first is there; others are where they exist. */
export async function spaceOf([first, ...others]: readonly [string, ...string[]]): Promise<DiskSpace> {
  const found = await Promise.all([
    statfs(first),
    ...others.map((directory) => statfs(directory).catch(ignoreMissing)),
  ]);
  const disks = found.filter((disk) => disk !== undefined);
  return {
    freeBytes: Math.min(...disks.map(({ bavail, bsize }) => bavail * bsize)),
    totalBytes: Math.min(...disks.map(({ blocks, bsize }) => blocks * bsize)),
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function sum<Item>(items: Iterable<Item>, of: (item: Item) => number): number {
  let total = 0;
  for (const item of items) total += of(item);
  return total;
}
