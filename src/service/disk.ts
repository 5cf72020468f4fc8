/** The budget of the data directory's disk: uploads, scratch files and decoded audio together. */
import { join } from 'node:path';
import type { Config } from '../config.ts';
import type { Clock } from '../platform/clock.ts';
import type { Queryable } from '../platform/database/database.ts';
import { DiskBudget, NoDiskSpace, spaceOf } from '../platform/disk/disk-budget.ts';
import { uploadStore } from '../upload/upload-store.ts';

/** Where jobs keep files while they are worked on, in the data directory. */
export function scratchPath({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'tmp');
}

/** Where the local storage is, in the data directory. */
export function objectsPath({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'objects');
}

export function diskBudget({
  config,
  db,
  clock,
}: {
  config: Config;
  db: Queryable | undefined;
  clock: Clock;
}): DiskBudget {
  return new DiskBudget({
    space: () => spaceOf([config.dataDir, objectsPath(config), scratchPath(config)]),
    reserveBytes: config.diskReserveBytes,
    ...(db ? { promisedBytes: () => uploadStore.promisedBytes(db, clock.date()) } : {}),
  });
}

/** Rejects with NoDiskSpace below the reserve. */
export async function expectDiskSpace(disk: DiskBudget): Promise<void> {
  const { freeBytes, reserveBytes } = await disk.space();
  if (freeBytes <= reserveBytes)
    throw new NoDiskSpace(`${freeBytes} bytes are free on the disk, and ${reserveBytes} are its reserve`);
}

const watchEveryMs = 2_000;

/** Tells when the disk is below its reserve, before a task finds out. Returns the function that ends the watch. */
export function watchDiskSpace(
  disk: DiskBudget,
  clock: Clock,
  onFull: (error: NoDiskSpace) => void,
): () => void {
  return clock.every(watchEveryMs, () => {
    // A disk that cannot be asked is found out by the tasks.
    expectDiskSpace(disk).catch((error: unknown) => {
      if (error instanceof NoDiskSpace) onFull(error);
    });
  });
}
