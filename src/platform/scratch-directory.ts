import { mkdir, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** With less than this the disk is full: file systems keep the last pages for themselves. */
const roomBytesMin = 1024 * 1024;

const namePattern = /^([0-9]+)-[A-Za-z0-9]+$/;

/**
 * Private directories for files that live as long as one step of work. Each is named after its process, so that what
 * a killed process left behind is known to be nobody's.
 */
export class ScratchDirectory {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  /** Makes the place and removes what dead processes left in it. */
  async prepare(): Promise<void> {
    await mkdir(this.#path, { recursive: true, mode: 0o700 });
    for (const name of await readdir(this.#path)) {
      const pid = Number(namePattern.exec(name)?.[1]);
      if (pid !== process.pid && !isRunning(pid))
        await rm(join(this.#path, name), { recursive: true, force: true });
    }
  }

  /** Whether anything can still be written here. */
  async hasRoom(): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.#path);
    return bavail * bsize >= roomBytesMin;
  }

  /** A directory for `work` alone, gone when it ends. */
  async use<Result>(work: (directory: string) => Promise<Result>): Promise<Result> {
    const directory = await mkdtemp(join(this.#path, `${process.pid}-`));
    try {
      return await work(directory);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
