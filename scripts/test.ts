/**
 * Runs the tests: `npm test`, `npm test -- src/platform`, `npm test -- test/acceptance/x.test.ts --test-name-pattern=…`.
 * One embedded PostgreSQL serves the run; with LONGHAND_TEST_DATABASE_URL the same tests run on that server instead.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, normalize, sep } from 'node:path';
import { systemClock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/telemetry.ts';
import { openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';

const testTimeoutMs = 180_000;
const filesAtOnce = 2;
const everyTestFile = ['src/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'];

const args = process.argv.slice(2);
const flags = args.filter((arg) => arg.startsWith('-'));
const wanted = args.filter((arg) => !arg.startsWith('-')).map((arg) => normalize(arg));
const files = globSync(everyTestFile)
  .filter((file) => wanted.length === 0 || wanted.some((path) => isWithin(file, path)))
  .toSorted();

process.exitCode = files.length === 0 ? noTests() : await runWithDatabase();

function isWithin(file: string, path: string): boolean {
  const folder = path.endsWith(sep) ? path : path + sep;
  return file === path || file.startsWith(folder);
}

function noTests(): number {
  console.error(`no test files in ${wanted.join(', ')}`);
  return 1;
}

async function runWithDatabase(): Promise<number> {
  const runDir = await mkdtemp(join(tmpdir(), 'longhand-test-'));
  try {
    await chmod(runDir, 0o711); // Some tests run as another user.
    const temporaryDir = join(runDir, 'tmp');
    await mkdir(temporaryDir);
    await chmod(temporaryDir, 0o1777);
    return await withDatabase(join(runDir, 'data'), (databaseUrl) =>
      // What an interrupted test leaves lies in our directory and goes with it; a server whose files are gone stops.
      runTests({ LONGHAND_TEST_DATABASE_URL: databaseUrl, TMPDIR: temporaryDir }),
    );
  } finally {
    await rm(runDir, { recursive: true, force: true });
  }
}

async function withDatabase(dataDir: string, work: (url: string) => Promise<number>): Promise<number> {
  const given = process.env.LONGHAND_TEST_DATABASE_URL;
  if (given) return work(given);
  const logger = createLogger({ level: 'warn', pretty: true });
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  try {
    return await work(postgres.connectionString);
  } finally {
    await postgres.close();
  }
}

async function runTests(env: Record<string, string>): Promise<number> {
  const child = spawn(
    process.execPath,
    [
      '--import=./test/support/time-limit.ts',
      '--test',
      `--test-concurrency=${filesAtOnce}`,
      `--test-timeout=${testTimeoutMs}`,
      '--test-reporter=spec',
      ...flags,
      ...files,
    ],
    { stdio: 'inherit', env: { ...process.env, ...env } },
  );
  // The runner ends first, then we stop the database; a terminal's Ctrl-C reaches both of us.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
