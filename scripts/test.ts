/**
 * Runs the tests: `npm test`, `npm test -- src/platform`, `npm test -- test/acceptance/x.test.ts --test-name-pattern=…`.
 * One embedded PostgreSQL serves the run; with LONGHAND_TEST_DATABASE_URL the same tests run on that server instead.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, normalize, sep } from 'node:path';
import { systemClock } from '../src/platform/clock.ts';
import { openEmbeddedPostgres } from '../src/platform/embedded-postgres.ts';
import { createLogger } from '../src/platform/telemetry.ts';

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
  const given = process.env.LONGHAND_TEST_DATABASE_URL;
  if (given) return runTests(given);
  const dataDir = await mkdtemp(join(tmpdir(), 'longhand-test-'));
  const logger = createLogger({ level: 'warn', pretty: true });
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  try {
    return await runTests(postgres.connectionString);
  } finally {
    await postgres.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function runTests(databaseUrl: string): Promise<number> {
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
    { stdio: 'inherit', env: { ...process.env, LONGHAND_TEST_DATABASE_URL: databaseUrl } },
  );
  // The runner ends first, then we stop the database; a terminal's Ctrl-C reaches both of us.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
