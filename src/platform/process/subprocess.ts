/**
 * The only way to start another program. Every process gets a clean environment, its own process group, no shell, and
 * an end: whoever starts it holds a handle whose `kill` ends the whole group.
 */
import { type ChildProcess, fork, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { compileCacheEnvironment } from './compile-cache.ts';
import { type Confinement, confinedLine } from './sandbox.ts';

export interface ProcessLimits {
  /** Address space. */
  memoryBytes?: number;
  cpuSeconds?: number;
  /** Largest file the process may write; 0 forbids writing. */
  fileBytes?: number;
  openFiles?: number;
}

export interface ProcessSpec {
  command: string;
  args: readonly string[];
  cwd?: string;
  /** Added to the clean environment. */
  env?: Readonly<Record<string, string>>;
  limits?: ProcessLimits;
  /** Foreign data is handled in a sandbox only, where the machine has one. */
  confinement?: Confinement;
  /** 0 is the priority of the service itself; 10 is well below it. */
  niceness?: number;
  /** Kills the group when it aborts. */
  signal?: AbortSignal;
  /** Who the process is, instead of who we are; only root may choose. */
  user?: ProcessUser;
}

export interface ProcessUser {
  uid: number;
  gid: number;
}

export interface ProcessExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

export interface RunningProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has ended; rejects when it could not be started. */
  readonly exited: Promise<ProcessExit>;
  kill(signal?: NodeJS.Signals): void;
}

/** Where programs are looked for, whatever the environment of the service says. */
export const programPath: readonly string[] = [
  ...['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin', '/opt/homebrew/bin'],
];

const cleanEnvironment = {
  PATH: programPath.join(':'),
  LANG: 'C.UTF-8',
};

export function startProcess(spec: ProcessSpec): RunningProcess {
  const child = spawnGroup(spec, ['pipe', 'pipe', 'pipe']);
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new Error('the process has no pipes');
  stdin.on('error', () => {}); // A process that ends before it read everything is judged by its exit, not by EPIPE.
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => killGroup(child, signal);
  return { pid: child.pid ?? -1, stdin, stdout, stderr, exited: exitOf(child, kill, spec.signal), kill };
}

export type Daemon = Pick<RunningProcess, 'pid' | 'exited' | 'kill'>;

/** A process that may outlive us: in a session of its own, without pipes, its output appended to an open file. */
export function startDaemon(spec: ProcessSpec & { outputFd: number }): Daemon {
  const child = spawnGroup(spec, ['ignore', spec.outputFd, spec.outputFd]);
  child.unref();
  const kill = (signal: NodeJS.Signals = 'SIGKILL') => killGroup(child, signal);
  return { pid: child.pid ?? -1, exited: exitOf(child, kill, spec.signal), kill };
}

export interface FinishedProcess extends ProcessExit {
  stdout: Buffer;
  stderr: string;
}

/** Runs a program to its end. Output beyond the bound kills it. */
export async function runProcess(
  spec: ProcessSpec & { outputBytesMax: number; input?: string },
): Promise<FinishedProcess> {
  const running = startProcess(spec);
  running.stdin.end(spec.input ?? '');
  const [stdout, stderr, exit] = await Promise.all([
    collect(running.stdout, spec.outputBytesMax, running),
    collect(running.stderr, spec.outputBytesMax, running),
    running.exited,
  ]);
  return { ...exit, stdout, stderr: stderr.toString('utf8') };
}

/** A Node child that runs one of our own modules and speaks by messages; typed arrays pass without a detour by JSON. */
export function forkModule(
  modulePath: string,
  options: {
    args?: readonly string[];
    niceness?: number;
    execArgv?: readonly string[];
    env?: Readonly<Record<string, string>>;
  } = {},
): ChildProcess {
  return fork(modulePath, [...(options.args ?? [])], {
    env: { ...cleanEnvironment, ...compileCacheEnvironment, ...options.env },
    execArgv: [...(options.execArgv ?? [])],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

function spawnGroup(spec: ProcessSpec, stdio: SpawnOptions['stdio']): ChildProcess {
  const [command, ...args] = commandLine(spec);
  const options: SpawnOptions = {
    env: { ...cleanEnvironment, ...spec.env },
    stdio,
    detached: true,
    shell: false,
    ...spec.user,
  };
  if (spec.cwd !== undefined) options.cwd = spec.cwd;
  return spawn(command, args, options);
}

function commandLine(spec: ProcessSpec): [string, ...string[]] {
  const { command, args, limits, niceness, confinement } = spec;
  const line: [string, ...string[]] = [command, ...args];
  if (niceness !== undefined) line.unshift('nice', '-n', String(niceness));
  if (limits && process.platform === 'linux') line.unshift('prlimit', ...limitFlags(limits), '--');
  // Outermost: it writes files of its own (user mappings) before it starts anything, which the limits would forbid.
  return confinement ? confinedLine(confinement, line, spec.cwd) : line;
}

function limitFlags(limits: ProcessLimits): string[] {
  const flags = ['--core=0'];
  if (limits.memoryBytes !== undefined) flags.push(`--as=${limits.memoryBytes}`);
  if (limits.cpuSeconds !== undefined) flags.push(`--cpu=${limits.cpuSeconds}`);
  if (limits.fileBytes !== undefined) flags.push(`--fsize=${limits.fileBytes}`);
  if (limits.openFiles !== undefined) flags.push(`--nofile=${limits.openFiles}`);
  return flags;
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function exitOf(
  child: ChildProcess,
  kill: () => void,
  signal: AbortSignal | undefined,
): Promise<ProcessExit> {
  if (signal?.aborted) kill();
  signal?.addEventListener('abort', () => kill(), { once: true });
  // 'exit' and not 'close': a grandchild that holds a pipe open must not hold us.
  const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return { code, signal: killedBy };
}

async function collect(stream: Readable, bytesMax: number, owner: RunningProcess): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bytesMax) owner.kill();
    else parts.push(part);
  }
  return Buffer.concat(parts);
}
