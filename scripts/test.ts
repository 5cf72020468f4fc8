/**
 * Runs the tests: `npm test`, `npm test -- src/platform`, `npm test -- test/acceptance/x.test.ts --test-name-pattern=…`.
 * It starts and stops the servers they need: an embedded PostgreSQL, or that of LONGHAND_TEST_DATABASE_URL; and for
 * tests that use it an S3 server, or that of LONGHAND_TEST_S3_ENDPOINT. Its last lines name what was skipped.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, normalize, sep } from 'node:path';
import { systemClock } from '../src/platform/clock.ts';
import { compileCacheEnvironment } from '../src/platform/process/compile-cache.ts';
import { createLogger } from '../src/platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { importsOf } from './imports-of.ts';
import { reachableCheckout } from './reachable-checkout.ts';

const testTimeoutMs = 300_000;
/** One more than there are cores on a small machine: a file that waits for its service leaves a core free. */
const filesAtOnce = 3;
/** Nobody needs the data after the tests: no commit waits for the disk. */
const databaseSettings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
};
const everyTestFile = ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts', 'web/src/**/*.test.ts'];
const s3Support = 'test/support/s3-server.ts';
const s3StopMs = 30_000;
const s3Server = join(import.meta.dirname, 's3-server');
const notInstalled = 3;

type Settings = Record<string, string>;

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('-'));
const wanted = args.filter((arg) => !arg.startsWith('-')).map((arg) => normalize(arg));
const files = globSync(everyTestFile)
  .filter((file) => wanted.length === 0 || wanted.some((path) => isWithin(file, path)))
  .toSorted();

/** The first signal ends the runner, or keeps it from starting; what was started before is stopped in order. */
const interrupted = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => interrupted.abort(signal));

process.exitCode = files.length === 0 ? noTests() : await runAll();

function isWithin(file: string, path: string): boolean {
  const folder = path.endsWith(sep) ? path : path + sep;
  return file === path || file.startsWith(folder);
}

function noTests(): number {
  console.error(`no test files in ${wanted.join(', ')}`);
  return 1;
}

async function runAll(): Promise<number> {
  const runDir = await mkdtemp(join(tmpdir(), 'longhand-test-'));
  try {
    await chmod(runDir, 0o711); // Some tests run as another user.
    const temporaryDir = join(runDir, 'tmp');
    await mkdir(temporaryDir);
    await chmod(temporaryDir, 0o1777);
    // What an interrupted test leaves lies in our directory and goes with it; a server whose files are gone stops.
    return await withDatabase(join(runDir, 'data'), (database) =>
      withS3Server(join(runDir, 's3'), (s3) =>
        runTests(runDir, { ...compileCacheEnvironment, ...database, ...s3, TMPDIR: temporaryDir }),
      ),
    );
  } finally {
    await rm(runDir, { recursive: true, force: true });
  }
}

async function withDatabase(dataDir: string, work: (settings: Settings) => Promise<number>): Promise<number> {
  if (process.env.LONGHAND_TEST_DATABASE_URL) return work({});
  const logger = createLogger({ level: 'warn', pretty: true });
  const postgres = await openEmbeddedPostgres({
    dataDir,
    logger,
    clock: systemClock,
    settings: databaseSettings,
  });
  try {
    return await work({ LONGHAND_TEST_DATABASE_URL: postgres.connectionString });
  } finally {
    await postgres.close();
  }
}

async function withS3Server(dir: string, work: (settings: Settings) => Promise<number>): Promise<number> {
  const isGiven = process.env.LONGHAND_TEST_S3_ENDPOINT !== undefined;
  if (isGiven || !files.some((file) => importsOf(file).has(s3Support))) return work({});
  try {
    return await work(await startS3Server(dir));
  } finally {
    spawnSync(s3Server, ['stop', dir], { stdio: 'inherit', timeout: s3StopMs });
  }
}

/** No settings where none is installed: its tests say so. A server that is installed and does not start is a failure. */
async function startS3Server(dir: string): Promise<Settings> {
  if (interrupted.signal.aborted) return {};
  // A group of its own: a terminal's Ctrl-C reaches us, and we stop it.
  const starter = spawn(s3Server, ['start', dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(starter, 'close') as Promise<[number | null]>;
  interrupted.signal.addEventListener('abort', () => killGroup(starter));
  let output = '';
  for await (const text of starter.stdout) output += text;
  const [code] = await ended;
  if (code === notInstalled || interrupted.signal.aborted) return {};
  if (code !== 0) throw new Error(`scripts/s3-server start ended with ${code}`);
  return Object.fromEntries(
    [...output.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}

async function runTests(runDir: string, settings: Settings): Promise<number> {
  if (interrupted.signal.aborted) return 1;
  const skippedFile = join(runDir, 'skipped');
  const runner = [
    '--import=./test/support/time-limit.ts',
    '--test',
    `--test-concurrency=${filesAtOnce}`,
    `--test-timeout=${testTimeoutMs}`,
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...['--test-reporter=./scripts/skipped-tests.ts', `--test-reporter-destination=${skippedFile}`],
    ...flags,
    ...files,
  ];
  const [command, ...rest] = reachableCheckout(join(runDir, 'checkout'), [process.execPath, ...runner]);
  const child = spawn(command, rest, { stdio: 'inherit', env: { ...process.env, ...settings } });
  interrupted.signal.addEventListener('abort', () => child.kill(interrupted.signal.reason));
  const [code] = (await once(child, 'exit')) as [number | null];
  process.stdout.write(await readFile(skippedFile, 'utf8').catch(() => ''));
  return code ?? 1;
}
