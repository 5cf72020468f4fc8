import { randomBytes } from 'node:crypto';
import { chown, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { runProcess } from '../platform/process/subprocess.ts';
import { StartError } from '../platform/start-error.ts';
import type { PostgresBinaries } from './binaries.ts';
import { asPostgresUser, type PostgresUser } from './user.ts';

export const databaseName = 'longhand';
export const databaseUser = 'longhand';
/** PostgreSQL keeps its files' format within a major version. */
const majorVersion = '18';
const initTimeoutMs = 120_000;
const abandonedAfterMs = 600_000;

export interface ClusterOptions {
  clusterDir: string;
  binaries: PostgresBinaries;
  postgresUser: PostgresUser;
  clock: Clock;
}

/** Makes the database files if there are none: whole, in a directory beside, then put in place by one rename. */
export async function ensureCluster(options: ClusterOptions): Promise<'made' | 'found'> {
  const { clusterDir } = options;
  const version = await readIfThere(join(clusterDir, 'PG_VERSION'));
  if (version !== undefined) {
    if (version.trim() !== majorVersion) {
      throw new StartError(
        `The database in ${clusterDir} was made by PostgreSQL ${version.trim()} and this Longhand brings ${majorVersion}: export it with the old version, or choose another LONGHAND_DATA_DIR.`,
      );
    }
    return 'found';
  }
  const inTheWay = await readdir(clusterDir).catch(() => []);
  if (inTheWay.length > 0) return foundBeside(clusterDir);
  await removeAbandoned(options);
  const newDir = `${clusterDir}.new-${randomBytes(6).toString('hex')}`;
  try {
    await makeCluster(newDir, options);
    return await putInPlace(newDir, clusterDir);
  } finally {
    await rm(newDir, { recursive: true, force: true });
  }
}

async function makeCluster(newDir: string, { binaries, postgresUser, clock }: ClusterOptions): Promise<void> {
  await mkdir(newDir, { mode: 0o700 });
  if (postgresUser.user) await chown(newDir, postgresUser.user.uid, postgresUser.user.gid);
  const run = async (program: string, args: string[], input = '') => {
    const { code, stderr } = await runProcess({
      ...asPostgresUser(postgresUser, program, args),
      cwd: newDir,
      input,
      outputBytesMax: 1_048_576,
      signal: clock.timeout(initTimeoutMs),
    });
    if (code !== 0) {
      const reason = stderr.trim().split('\n').at(-1) ?? '';
      throw new StartError(
        `The embedded PostgreSQL could not make its files in ${dirname(newDir)}: ${reason || `exit code ${code}`}`,
      );
    }
  };
  // Whoever may open the socket is the owner: the directory is closed to everybody else, so no password is asked.
  await run(binaries.initdb, [
    `--pgdata=${newDir}`,
    `--username=${databaseUser}`,
    '--auth=trust',
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--no-instructions',
  ]);
  await run(
    binaries.postgres,
    ['--single', '-D', newDir, '-c', 'log_min_messages=fatal', 'postgres'],
    `create database ${databaseName};\n`,
  );
}

async function putInPlace(newDir: string, clusterDir: string): Promise<'made' | 'found'> {
  try {
    await rename(newDir, clusterDir);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') return foundBeside(clusterDir);
    throw error;
  }
  const parent = await open(dirname(clusterDir), 'r');
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
  return 'made';
}

/** Another starter was first; or there is something there that is no database. */
async function foundBeside(clusterDir: string): Promise<'found'> {
  if ((await readIfThere(join(clusterDir, 'PG_VERSION'))) !== undefined) return 'found';
  throw new StartError(
    `${clusterDir} is not empty and holds no database: move it away, or choose another LONGHAND_DATA_DIR.`,
  );
}

/** What a starter that was killed while it made the files left behind. */
async function removeAbandoned({ clusterDir, clock }: ClusterOptions): Promise<void> {
  const parent = dirname(clusterDir);
  for (const name of await readdir(parent)) {
    if (!name.startsWith(`${basename(clusterDir)}.new-`)) continue;
    const path = join(parent, name);
    const changedMs = await stat(path).then(
      ({ mtimeMs }) => mtimeMs,
      () => clock.now(),
    );
    if (clock.now() - changedMs > abandonedAfterMs) await rm(path, { recursive: true, force: true });
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
