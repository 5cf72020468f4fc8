import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { systemClock } from '../../src/platform/clock.ts';
import { openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import { type Hooks, onCleanup } from './cleanup.ts';
import { eventually } from './eventually.ts';
import { silentLogger } from './silent-logger.ts';

const program = join(import.meta.dirname, 'embedded-postgres-process.ts');

let pristine: Promise<string> | undefined;

/** A data directory with an empty database in it: a copy, because making one takes a second. */
export async function dataDirectoryWithDatabase(hooks: Hooks): Promise<string> {
  pristine ??= makePristine();
  const dataDir = await temporaryDataDirectory(hooks);
  // A thousand files: Node's own copy takes a second of processor time.
  await promisify(execFile)('cp', ['-R', `${await pristine}/.`, dataDir]);
  return dataDir;
}

async function makePristine(): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'longhand-test-'));
  const postgres = await openEmbeddedPostgres({ dataDir, logger: silentLogger, clock: systemClock });
  await postgres.close();
  return dataDir;
}

after(async () => {
  if (pristine) await rm(await pristine, { recursive: true, force: true });
});

/** A data directory that is removed after the test, with the server that the test may have left on it. */
export async function temporaryDataDirectory(hooks: Hooks): Promise<string> {
  const dataDir = await mkdtemp(join(tmpdir(), 'longhand-test-'));
  onCleanup(hooks, async () => {
    const pid = await serverPid(dataDir);
    if (pid !== undefined) {
      process.kill(pid, 'SIGQUIT');
      await eventually(() => !isAlive(pid), 'the leftover server to end');
    }
    await rm(dataDir, { recursive: true, force: true });
  });
  return dataDir;
}

export interface Member {
  child: ChildProcess;
  /** What it said first: the address, or why it was refused. */
  answer: { ready?: string; refused?: string };
  leave(): Promise<void>;
  kill(): Promise<void>;
}

/** Another process on the data directory (see embedded-postgres-process.ts). */
export async function startMember(
  hooks: Hooks,
  args: [dataDir: string, role: 'join' | 'serve' | 'migrate', migrationsDir?: string],
  { wrapper = [], ...options }: SpawnOptions & { wrapper?: readonly string[] } = {},
): Promise<Member> {
  const command = [...wrapper, process.execPath, program, ...args.filter((arg) => arg !== undefined)];
  const child = spawn(command[0] ?? process.execPath, command.slice(1), {
    ...options,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const end = async (act: () => void) => {
    act();
    await exited;
  };
  const kill = () => end(() => child.kill('SIGKILL'));
  onCleanup(hooks, kill);
  if (!child.stdout) throw new Error('the process has no output');
  const lines = createInterface(child.stdout);
  const [line] = (await Promise.race([once(lines, 'line'), exited])) as [string | number | null];
  if (typeof line !== 'string') throw new Error(`the process ended with ${line} before it said anything`);
  return { child, answer: JSON.parse(line), leave: () => end(() => child.stdin?.end()), kill };
}

/** The process that is recorded as the server of this data directory, if it lives. */
export async function serverPid(dataDir: string): Promise<number | undefined> {
  const record = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number.parseInt(record, 10);
  return pid > 1 && pid !== process.pid && isAlive(pid) ? pid : undefined;
}

/** A process that has ended but that its parent has not looked at yet (a zombie) does not count. */
export function isAlive(pid: number): boolean {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`).length > 0;
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
