import { readFile, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type ProcessSpec, type ProcessUser, runProcess } from '../platform/process/subprocess.ts';
import { StartError } from '../platform/start-error.ts';

/** How a server program must be started so that PostgreSQL, which refuses to be root, runs. */
export interface PostgresUser {
  /** Put before the program. */
  wrapper: readonly string[];
  /** Set when the process must be another user, to whom the files belong. */
  user?: ProcessUser;
  /** The wrapper becomes that user by itself, and takes along what it may. */
  isSwitchedByWrapper?: true;
}

export interface PostgresUserOptions {
  postgres: string;
  dataDir: string;
  clusterDir: string;
  /** The program that makes user namespaces. */
  unshare?: string;
  /** The program that gives capabilities to another user. */
  setpriv?: string;
}

const nobody: ProcessUser = { uid: 65_534, gid: 65_534 };
const userTable = 'root:x:0:0:root:/:/bin/false\nlonghand:x:65534:65534:Longhand:/:/bin/false';
const probeLimits = { outputBytesMax: 65_536 };

export async function choosePostgresUser(options: PostgresUserOptions): Promise<PostgresUser> {
  const { postgres, dataDir, clusterDir } = options;
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
    if (hasName()) return { wrapper: [] };
  }
  // The owner's own database, started by root for once, stays the owner's.
  if (ourUid === 0 && owner && owner.uid !== 0)
    return (await asOther(owner, options)) ?? { wrapper: [], user: owner };

  const wrapper = await namespaceWrapper(options);
  if (wrapper) return { wrapper };
  if (ourUid !== 0) {
    throw new StartError(
      `The embedded PostgreSQL cannot run as user ${ourUid}, who is not in /etc/passwd, because user namespaces are refused here: add the user, or set LONGHAND_DATABASE_URL.`,
    );
  }

  const user = (await namedUser()) ?? nobody;
  const other = await asOther(user, options);
  if (other && !owner) return other;
  throw new StartError(
    `The embedded PostgreSQL cannot run as root here, because user namespaces are refused and user ${user.uid} cannot use ${other ? clusterDir : `${postgres} and ${dataDir}`}: run Longhand as an ordinary user, or set LONGHAND_DATABASE_URL.`,
  );
}

/**
 * As another user, who can reach the programs and the data directory. Where that user may not go there (a checkout
 * below /root), with the one capability that passes over permissions of files: root in a container has it to give.
 */
async function asOther(
  user: ProcessUser,
  { postgres, dataDir, setpriv = 'setpriv' }: PostgresUserOptions,
): Promise<PostgresUser | undefined> {
  const capability = '-all,+dac_override';
  const plain: PostgresUser = { wrapper: [], user };
  const privileged: PostgresUser = {
    user,
    isSwitchedByWrapper: true,
    wrapper: [
      ...[setpriv, `--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'],
      // Without this bit access(2), by which initdb looks for the server, would not count the capability.
      ...['--securebits=+no_setuid_fixup', `--bounding-set=${capability}`],
      ...[`--inh-caps=${capability}`, `--ambient-caps=${capability}`, '--'],
    ],
  };
  for (const candidate of [plain, privileged]) {
    const programRuns = await runs(asPostgresUser(candidate, postgres, ['--version']));
    if (programRuns && (await runs(asPostgresUser(candidate, 'test', ['-x', dataDir])))) return candidate;
  }
  return undefined;
}

/**
 * A user namespace: still us inside, so the files stay our own, but an ordinary user with a name as far as
 * PostgreSQL can see. initdb looks that name up, so the id is one of the machine's user table; where the table
 * has root alone, a table of our own covers it in a mount namespace.
 */
async function namespaceWrapper({
  postgres,
  dataDir,
  unshare = 'unshare',
}: PostgresUserOptions): Promise<readonly string[] | undefined> {
  const as = ({ uid, gid }: ProcessUser) => [
    unshare,
    '--user',
    `--map-user=${uid}`,
    `--map-group=${gid}`,
    '--',
  ];
  const works = ([command = '', ...args]: readonly string[]) =>
    runs({ command, args: [...args, postgres, '--version'] });
  const named = await namedUser();
  if (named) return (await works(as(named))) ? as(named) : undefined;
  const table = join(dataDir, 'passwd');
  await writeFile(table, `${userTable}\n`, { mode: 0o644 });
  const covered = [
    ...[unshare, '--user', '--map-root-user', '--mount', '--'],
    ...['sh', '-c', 'mount --bind "$1" /etc/passwd && shift && exec "$@"', 'sh', table],
    ...as(nobody),
  ];
  return (await works(covered)) ? covered : undefined;
}

/** Somebody of the machine's user table who is not root: nobody, if there. */
async function namedUser(): Promise<ProcessUser | undefined> {
  const table = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const users = table.split('\n').flatMap((line) => {
    const [name, , uid, gid] = line.split(':');
    return name && Number(uid) > 0 && Number(gid) > 0 ? [{ uid: Number(uid), gid: Number(gid) }] : [];
  });
  return users.find(({ uid }) => uid === nobody.uid) ?? users[0];
}

/** Whether the machine knows the user that we are. */
function hasName(): boolean {
  try {
    return userInfo().username !== '';
  } catch {
    return false;
  }
}

export function asPostgresUser(
  { wrapper, user, isSwitchedByWrapper }: PostgresUser,
  program: string,
  args: readonly string[],
): ProcessSpec {
  const [command = program, ...rest] = [...wrapper, program, ...args];
  return { command, args: rest, ...(user && !isSwitchedByWrapper && { user }) };
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
