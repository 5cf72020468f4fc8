/** The server process of one cluster directory: find it, start it, stop it. Knows nothing of connections. */
import { closeSync, openSync } from 'node:fs';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../platform/clock.ts';
import { type Daemon, runProcess, startDaemon } from '../platform/process/subprocess.ts';
import { asPostgresUser, type PostgresUser } from './user.ts';

export interface ServerOptions {
  postgres: string;
  postgresUser: PostgresUser;
  clusterDir: string;
  socketDir: string;
  logPath: string;
  settings: Readonly<Record<string, string>>;
}

const logBytesMax = 10 * 1024 * 1024;
const reasonBytesMax = 4_096;
const stopPollMs = 10;

/** Small, durable, quiet. Given at every start, so that an update of Longhand updates them. */
const settings: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '64MB',
  io_method: 'sync', // Without it three more processes wait for work.
  wal_level: 'minimal', // Nobody replicates from an embedded server.
  max_wal_senders: '0',
  max_wal_size: '256MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  jit: 'off',
  TimeZone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log', // Starts, stops and crashes; not the errors of statements, which their caller gets.
  log_checkpoints: 'off',
  cluster_name: 'longhand',
};

export async function startServer(options: ServerOptions): Promise<Daemon> {
  const { clusterDir, socketDir, logPath, postgres, postgresUser } = options;
  await turnOverLog(logPath);
  const flags = Object.entries({ ...settings, ...options.settings, unix_socket_directories: socketDir });
  const outputFd = openSync(logPath, 'a', 0o600);
  try {
    return startDaemon({
      ...asPostgresUser(postgresUser, postgres, [
        '-D',
        clusterDir,
        ...flags.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ]),
      cwd: clusterDir,
      outputFd,
    });
  } finally {
    closeSync(outputFd);
  }
}

/** The process id of the server that runs on this cluster, whoever started it. */
export async function findServer(clusterDir: string): Promise<number | undefined> {
  const pid = await recordedPid(clusterDir);
  return pid !== undefined && (await isServerOf(pid, clusterDir)) ? pid : undefined;
}

/**
 * PostgreSQL itself passes over the record of a dead server, but not when another process of ours has got the same
 * id since, as happens in every restarted container.
 */
export async function removeStaleRecord(clusterDir: string): Promise<void> {
  const path = recordPath(clusterDir);
  const pid = await recordedPid(clusterDir);
  if (pid === undefined || (await isServerOf(pid, clusterDir))) return;
  const aside = `${path}.stale-${process.pid}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  // Between the look and the rename another starter may have written its own record: give it back.
  if (pidIn(await readFile(aside, 'utf8')) === pid) await rm(aside, { force: true });
  else await rename(aside, path);
}

/** Asks for a fast shutdown; after the wait, for an immediate one, from which the next start recovers. */
export async function stopServer(clusterDir: string, clock: Clock, waitMs: number): Promise<boolean> {
  const pid = await findServer(clusterDir);
  if (pid === undefined) return true;
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    sendSignal(pid, signal);
    const deadline = clock.now() + waitMs;
    while (clock.now() < deadline) {
      if (!(await isServerOf(pid, clusterDir))) return true;
      await clock.sleep(stopPollMs);
    }
  }
  return false;
}

/** The last thing the server said, for the operator. */
export async function lastServerMessage(logPath: string): Promise<string> {
  const file = await open(logPath, 'r');
  try {
    const { size } = await file.stat();
    const buffer = Buffer.alloc(Math.min(size, reasonBytesMax));
    await file.read(buffer, 0, buffer.length, size - buffer.length);
    const lines = buffer.toString('utf8').trim().split('\n');
    return lines.findLast((line) => /FATAL|PANIC|error/i.test(line)) ?? lines.at(-1) ?? '';
  } finally {
    await file.close();
  }
}

function recordPath(clusterDir: string): string {
  return join(clusterDir, 'postmaster.pid');
}

async function recordedPid(clusterDir: string): Promise<number | undefined> {
  try {
    return pidIn(await readFile(recordPath(clusterDir), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function pidIn(record: string): number | undefined {
  const pid = Number.parseInt(record, 10);
  return pid > 1 ? pid : undefined;
}

/** A process id alone proves nothing: ids are used again. The command line names the cluster. */
async function isServerOf(pid: number, clusterDir: string): Promise<boolean> {
  const line = await commandLineOf(pid);
  return line.includes('postgres') && line.includes(`-D ${clusterDir} `);
}

async function commandLineOf(pid: number): Promise<string> {
  if (process.platform === 'linux') {
    // A zombie's is empty.
    return readFile(`/proc/${pid}/cmdline`, 'utf8').then(
      (line) => line.replaceAll('\0', ' '),
      () => '',
    );
  }
  const listed = await runProcess({
    command: 'ps',
    args: ['-ww', '-o', 'command=', '-p', String(pid)],
    outputBytesMax: 65_536,
  });
  return listed.code === 0 ? listed.stdout.toString('utf8') : '';
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function turnOverLog(logPath: string): Promise<void> {
  const bytes = await stat(logPath).then(
    ({ size }) => size,
    () => 0,
  );
  if (bytes > logBytesMax) await rename(logPath, `${logPath}.1`);
}
