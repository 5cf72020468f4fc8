import { NoDiskSpace } from '../../platform/disk/disk-budget.ts';
import { StorageUnavailable } from '../object-store.ts';

const diskFaults = new Set([
  // Full, read-only, broken, away.
  'ENOSPC',
  'EDQUOT',
  'EROFS',
  'EIO',
  'ENODEV',
  'ENXIO',
  'ENOTCONN',
  'ESTALE',
  // No right, or no more open files.
  'EACCES',
  'EPERM',
  'EMFILE',
  'ENFILE',
  // Something else stands where a directory of ours should be. A missing object is asked for before.
  'ENOTDIR',
  'EEXIST',
  'EISDIR',
  'ELOOP',
  'ENOENT',
]);

/** The operator's to repair, as opposed to a fault of the program or of the caller. */
export function isDiskFault(error: unknown): boolean {
  return diskFaults.has((error as NodeJS.ErrnoException).code ?? '');
}

/** Gives the operator's faults as an unavailable storage, with what to do. */
export async function available<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: NodeJS.ErrnoException) => {
    if (error instanceof NoDiskSpace) throw diskIsFull(error);
    if (!isDiskFault(error)) throw error;
    throw new StorageUnavailable(`the local storage cannot be used (${error.code}): ${remedyOf(error)}`, {
      cause: error,
    });
  });
}

export function diskIsFull(cause?: unknown): StorageUnavailable {
  return new StorageUnavailable('the disk is full: make room on the disk of LONGHAND_DATA_DIR', { cause });
}

function remedyOf({ code, path }: NodeJS.ErrnoException): string {
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'make room on the disk of LONGHAND_DATA_DIR';
  return `check that this user may write to ${path ?? 'LONGHAND_DATA_DIR'}, or set LONGHAND_DATA_DIR`;
}
