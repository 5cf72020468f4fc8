import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskBudget, DiskReservation } from './disk-budget.ts';

const namePattern = /^([0-9]+)-[A-Za-z0-9]+$/;

/**
 * Private directories for files that live as long as one step of work. Each is named after its process, so that what
 * a killed process left behind is known to be nobody's.
 */
export class ScratchDirectory {
  readonly #path: string;
  readonly #disk: DiskBudget;

  constructor(path: string, disk: DiskBudget) {
    this.#path = path;
    this.#disk = disk;
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

  /** Whether anything can still be written here without breaking the reserve of the disk. */
  async hasSpace(): Promise<boolean> {
    return (await this.#disk.freeBytes()) > 0;
  }

  /** A directory for `work` alone, gone when it ends. Whoever writes much into it covers that by `reservation` before. */
  async use<Result>(
    work: (directory: string, reservation: DiskReservation) => Promise<Result>,
  ): Promise<Result> {
    const directory = await mkdtemp(join(this.#path, `${process.pid}-`));
    const reservation = await this.#disk.reserve();
    try {
      return await work(directory, reservation);
    } finally {
      await rm(directory, { recursive: true, force: true });
      reservation.release();
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
