/** Space on the disk for what another program writes into a folder. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import type { DiskReservation } from '../platform/disk/disk-budget.ts';

/** What a download needs of its reservation. */
export type DownloadReservation = Pick<DiskReservation, 'coverShare' | 'written'>;

const lookEveryMs = 250;
/** More than a program writes between two looks. */
const aheadBytes = 64 * 1024 * 1024;

export interface WatchedFolder extends Disposable {
  /** Aborts with the reason, such as NoDiskSpace, when the disk has no space for more. */
  signal: AbortSignal;
}

/** Reserves some space ahead of the program. */
export async function watchedFolder(
  reservation: DownloadReservation,
  folder: string,
  clock: Clock,
): Promise<WatchedFolder> {
  const stop = new AbortController();
  await reservation.coverShare(aheadBytes);
  let isLooking = false;
  const look = async () => {
    const bytes = await bytesIn(folder);
    await reservation.coverShare(bytes + aheadBytes);
    reservation.written(bytes);
  };
  const end = clock.every(lookEveryMs, () => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => stop.abort(error))
      .finally(() => {
        isLooking = false;
      });
  });
  return { signal: stop.signal, [Symbol.dispose]: end };
}

async function bytesIn(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder)) {
    // One that is renamed or removed meanwhile is counted the next time.
    const found = await stat(join(folder, name)).catch(() => undefined);
    total += found?.size ?? 0;
  }
  return total;
}
