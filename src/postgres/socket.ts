import { createHash } from 'node:crypto';
import { chown, lstat, mkdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessUser } from '../platform/process/subprocess.ts';
import { StartError } from '../platform/start-error.ts';
import { databaseUser } from './cluster.ts';

/** A socket's path must fit into 104 bytes with its closing zero on macOS, 108 on Linux. */
const socketPathBytesMax = 103;
const socketName = '.s.PGSQL.5432';

/** The directory of the server's socket: the database's own, or a short one when that lies too deep. */
export function socketDirectory(clusterDir: string): string {
  if (Buffer.byteLength(join(clusterDir, socketName)) <= socketPathBytesMax) return clusterDir;
  const digest = createHash('sha256').update(clusterDir).digest('hex').slice(0, 20);
  // Not os.tmpdir(): every process must find the same place, whatever its environment, and that path may be long too.
  return `/tmp/longhand-${digest}`;
}

/** Anybody may write to /tmp: the directory must be ours and closed to others before a server trusts it. */
export async function ensureSocketDirectory(
  directory: string,
  clusterDir: string,
  user: ProcessUser | undefined,
): Promise<void> {
  if (directory === clusterDir) return;
  const ourUid = process.getuid?.() ?? 0;
  try {
    await mkdir(directory, { mode: 0o700 });
    if (user) await chown(directory, user.uid, user.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const found = await lstat(directory);
  const isOurs = found.uid === ourUid || found.uid === user?.uid;
  if (!found.isDirectory() || !isOurs || (found.mode & 0o077) !== 0) {
    throw new StartError(
      `${directory}, where the database's socket has to stand because the path of the data directory is so long, belongs to somebody else: choose a shorter LONGHAND_DATA_DIR.`,
    );
  }
}

/** After the server has stopped. A directory in which the next one has put its socket meanwhile is not empty. */
export async function removeSocketDirectory(directory: string, clusterDir: string): Promise<void> {
  if (directory !== clusterDir) await rmdir(directory).catch(() => {});
}

export function socketConnectionString(directory: string, database: string): string {
  return `postgresql:///${database}?host=${encodeURIComponent(directory)}&user=${databaseUser}`;
}
