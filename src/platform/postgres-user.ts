import { stat } from 'node:fs/promises';
import { StartError } from './start-error.ts';
import { type ProcessSpec, type ProcessUser, runProcess } from './subprocess.ts';

/** How a server program must be started so that PostgreSQL, which refuses to be root, runs. */
export interface PostgresUser {
  /** Put before the program. */
  wrapper: readonly string[];
  /** Set when the process must be another user. */
  user?: ProcessUser;
}

export interface PostgresUserOptions {
  postgres: string;
  dataDir: string;
  clusterDir: string;
  /** The program that makes user namespaces. */
  unshare?: string;
}

const nobody: ProcessUser = { uid: 65_534, gid: 65_534 };
const probeLimits = { outputBytesMax: 65_536 };

export async function choosePostgresUser(options: PostgresUserOptions): Promise<PostgresUser> {
  const { postgres, dataDir, clusterDir, unshare = 'unshare' } = options;
  if (!(await runs({ command: postgres, args: ['--version'] }))) {
    throw new StartError(
      `The embedded PostgreSQL (${postgres}) does not run on this system: set LONGHAND_DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  const ourUid = process.getuid?.() ?? 0;
  const owner = await ownerOf(clusterDir);
  if (ourUid !== 0) {
    if (owner && owner.uid !== ourUid) {
      throw new StartError(
        `The database in ${clusterDir} belongs to user ${owner.uid} and this is user ${ourUid}: run Longhand as that user, or choose another LONGHAND_DATA_DIR.`,
      );
    }
    return { wrapper: [] };
  }
  // The owner's own database, started by root for once, stays the owner's.
  if (owner && owner.uid !== 0) return { wrapper: [], user: owner };

  // Root inside, an ordinary user as far as PostgreSQL can see; the files stay root's own.
  const wrapper = [unshare, '--user', '--map-user=1000', '--map-group=1000', '--'];
  if (await runs({ command: unshare, args: [...wrapper.slice(1), postgres, '--version'] }))
    return { wrapper };

  const reachable =
    (await runs({ command: postgres, args: ['--version'], user: nobody })) &&
    (await runs({ command: 'test', args: ['-x', dataDir], user: nobody }));
  if (reachable && !owner) return { wrapper: [], user: nobody };
  throw new StartError(
    `The embedded PostgreSQL cannot run as root here, because user namespaces are refused and user ${nobody.uid} cannot use ${reachable ? clusterDir : `${postgres} and ${dataDir}`}: run Longhand as an ordinary user, or set LONGHAND_DATABASE_URL.`,
  );
}

export function asPostgresUser(
  { wrapper, user }: PostgresUser,
  program: string,
  args: readonly string[],
): ProcessSpec {
  const [command = program, ...rest] = [...wrapper, program, ...args];
  return { command, args: rest, ...(user && { user }) };
}

async function ownerOf(path: string): Promise<ProcessUser | undefined> {
  try {
    const { uid, gid } = await stat(path);
    return { uid, gid };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function runs(spec: ProcessSpec): Promise<boolean> {
  try {
    return (await runProcess({ ...spec, ...probeLimits })).code === 0;
  } catch {
    return false; // The program is missing, or this user may not start it.
  }
}
