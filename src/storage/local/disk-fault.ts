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
