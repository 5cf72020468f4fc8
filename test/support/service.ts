/** The real service as a process of its own, on a database of its own: what acceptance tests talk to over HTTP. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Hooks, onCleanup } from './cleanup.ts';
import { createMigratedDatabase } from './empty-database.ts';

const root = join(import.meta.dirname, '..', '..');
const main = join(root, 'src', 'main.ts');
const startWithinMs = 120_000;
const stopWithinMs = 60_000;
const commandWithinMs = 120_000;
/** As bin/longhand does: what Node compiled is kept from the first file on. */
export const compileCache = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'longhand') };
const logCharactersMax = 16 * 1024 * 1024;

/** Settings for a service on a machine where no name resolves: whatever is asked of it, nothing leaves the machine. */
export const withoutNames = { NODE_OPTIONS: `--import=${join(import.meta.dirname, 'no-names-process.ts')}` };

export type Environment = Record<string, string>;

export interface TestService {
  url: string;
  /** The settings it runs with: the same for commands that join it. */
  environment: Environment;
  process: ChildProcess;
  /** What it has printed on standard output so far. */
  output(): string;
  /** What it wrote to its log so far, that is to standard error; the last part of it when that is very long. */
  log(): string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** A data directory of its own, removed when the tests end. The models of the checkout are found from any. */
export async function temporaryDataDir(hooks: Hooks): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-'));
  onCleanup(hooks, () => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Settings for a service on an external database, so that starting one takes no initdb: a new one unless it is given. */
export async function testEnvironment(hooks: Hooks, settings: Environment = {}): Promise<Environment> {
  const directory = await temporaryDataDir(hooks);
  return {
    PATH: process.env.PATH ?? '',
    LONGHAND_PORT: '0',
    LONGHAND_DATA_DIR: directory,
    // What a person has saved on this machine is no business of a test.
    XDG_CONFIG_HOME: join(directory, 'config'),
    XDG_STATE_HOME: join(directory, 'state'),
    LONGHAND_DATABASE_URL: settings.LONGHAND_DATABASE_URL ?? (await createMigratedDatabase(hooks)),
    LONGHAND_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
    LONGHAND_RATE_REQUESTS: '1000000',
    LONGHAND_RATE_CREATES: '1000000',
    // Each has models of its own to load; tests that need several say so.
    LONGHAND_WORKERS: '1',
    // The quicker model for other languages, whatever this machine has memory for.
    LONGHAND_ACCURACY: 'balanced',
    LONGHAND_LOG_LEVEL: 'warn',
    ...settings,
  };
}

/** Resolves when it listens, even if something that jobs need is missing. */
export async function startService(
  environment: Environment,
  args: string[] = [],
  /** A command that runs the service. */
  wrapper: readonly string[] = [],
): Promise<TestService> {
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, main, 'serve', ...args];
  const child = spawn(command, rest, {
    env: { ...compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-logCharactersMax);
    // A trace is only for the test that asked for it.
    if (environment.LONGHAND_LOG_LEVEL !== 'trace') process.stderr.write(text);
  });
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await once(child, 'exit', { signal: AbortSignal.timeout(stopWithinMs) });
  };
  try {
    const { url, output } = await listening(child);
    return { url, environment, process: child, output, log: () => log, stop };
  } catch (error) {
    await stop('SIGKILL');
    throw error;
  }
}

/** A service that lives as long as the tests of the file. */
export async function runService(hooks: Hooks, settings: Environment = {}): Promise<TestService> {
  const service = await startService(await testEnvironment(hooks, settings));
  onCleanup(hooks, () => service.stop());
  return service;
}

async function listening(child: ChildProcess): Promise<{ url: string; output: () => string }> {
  if (!child.stdout) throw new Error('the service has no standard output');
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  createInterface({ input: child.stdout })
    .on('line', (line) => {
      output += `${line}\n`;
      const started =
        /^Longhand (?:(?:is ready|listens) at (\S+?)(?:, but .*)?|worker (?:is ready|runs, but .*))$/.exec(
          line,
        );
      if (started) resolve(started[1] ?? '');
    })
    .on('close', () => reject(new Error('the service ended before it was ready')));
  const late = AbortSignal.timeout(startWithinMs);
  late.addEventListener('abort', () => reject(new Error('the service was not ready in time')));
  return { url: await promise, output: () => output };
}

export interface CommandResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** `longhand …` with the settings of a service. */
export async function longhand(environment: Environment, ...args: string[]): Promise<CommandResult> {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...compileCache, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: commandWithinMs,
    killSignal: 'SIGKILL',
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  let whole = '';
  for await (const part of stream) whole += part;
  return whole;
}
