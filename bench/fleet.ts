/** Many processes on one database: an idle fleet, workers that only coordinate, and a long queue. */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { accountStore } from '../src/account/account-store.ts';
import { builtInPlans, parsePlanTable } from '../src/account/plan.ts';
import { systemClock } from '../src/platform/clock.ts';
import { Database, onlyRow } from '../src/platform/database/database.ts';
import { migrate } from '../src/platform/database/migrations.ts';
import { createLogger } from '../src/platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { transcriptionStore } from '../src/transcription/transcription-store.ts';
import { addJobs } from './fleet/jobs.ts';
import { longQueue } from './fleet/queue.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { percentile } from './stage/upload-service.ts';

const logger = createLogger({ level: 'error', pretty: false });
const main = join(import.meta.dirname, '..', 'src', 'main.ts');
const idleWorkers = 20;
const idleSeconds = 30;
const jobsPerWorker = 16;
/** What a chunk of 28 s takes: less, and eight workers measure the cores of one machine. */
const sleepMs = 3_000;
const slots = 2;

/** `npm run bench -- fleet [idle] [linear] [queue] [list]`: all of them unless told. */
export async function run(args: string[]): Promise<Benchmark> {
  const wanted = (name: string) => args.length === 0 || args.includes(name);
  const directory = await mkdtemp(join(tmpdir(), 'longhand-fleet-'));
  const postgres = await openEmbeddedPostgres({ dataDir: directory, logger, clock: systemClock });
  const db = new Database({
    connectionString: postgres.connectionString,
    connectionsMax: 8,
    applicationName: 'longhand bench',
    logger,
  });
  try {
    await migrate(db, join(import.meta.dirname, '..', 'migrations'), logger);
    const rows: BenchmarkRow[] = [];
    if (wanted('idle')) rows.push(await idleFleet(db, directory));
    if (wanted('linear')) rows.push(...(await linear(db)));
    if (wanted('list')) rows.push(await oldList(db));
    if (wanted('queue')) rows.push(...(await longQueue(db)));
    return { title: 'Many processes on one database', rows };
  } finally {
    await db.close();
    await postgres.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function idleFleet(db: Database, directory: string): Promise<BenchmarkRow> {
  const workers: ChildProcess[] = [];
  try {
    for (let number = 0; number < idleWorkers; number += 1) {
      const child = spawn(process.execPath, [main, 'worker'], {
        env: {
          PATH: process.env.PATH ?? '',
          LONGHAND_DATA_DIR: join(directory, 'workers'),
          LONGHAND_DATABASE_URL: db.connectionString,
          // And one that listens, of the hundred that the server has.
          LONGHAND_DATABASE_CONNECTIONS: '2',
          LONGHAND_PUBLIC_URL: 'http://127.0.0.1:8080',
          LONGHAND_LOG_LEVEL: 'fatal',
        },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      workers.push(child);
      if (number % 4 === 3) await workersTold(db, number + 1);
    }
    await workersTold(db, idleWorkers);
    await delay(10_000); // What a start asks for is over.
    const before = await statements(db);
    await delay(idleSeconds * 1000);
    const perSecond = ((await statements(db)) - before) / idleSeconds;
    return {
      figure: `idle fleet of ${idleWorkers} workers: transactions per second on the database`,
      value: perSecond.toFixed(1),
      bar: 'under 20',
      passed: perSecond < 20,
    };
  } finally {
    await stopAll(workers);
    await db.query('delete from worker');
  }
}

async function workersTold(db: Database, count: number): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { told } = onlyRow(await db.query<{ told: number }>('select count(*)::int as told from worker'));
    if (told >= count) return;
    await delay(200);
  }
  throw new Error(`${count} workers did not start in time`);
}

/** Every statement outside of a transaction is one; `begin` to `commit` counts once. */
async function statements(db: Database): Promise<number> {
  await delay(1_100); // The server publishes its counts with a delay of a second.
  const { done } = onlyRow(
    await db.query<{ done: string }>(
      'select xact_commit + xact_rollback as done from pg_stat_database where datname = current_database()',
    ),
  );
  return Number(done);
}

async function linear(db: Database): Promise<BenchmarkRow[]> {
  const rows: BenchmarkRow[] = [];
  let ofOne = 0;
  for (const count of [1, 2, 4, 8]) {
    const { perMinute, cpuMsPerJob } = await jobsPerMinute(db, count);
    if (count === 1) ofOne = perMinute;
    const share = perMinute / (ofOne * count);
    rows.push({
      figure: `jobs per minute, ${count} workers with a recognizer that sleeps`,
      value: `${perMinute.toFixed(0)} (${share.toFixed(2)} of ${count} × one); ${cpuMsPerJob.toFixed(0)} ms of the workers' processors a job`,
      bar: 'linear within 10 %',
      passed: share >= 0.9,
    });
  }
  return rows;
}

async function jobsPerMinute(
  db: Database,
  count: number,
): Promise<{ perMinute: number; cpuMsPerJob: number }> {
  const workers = Array.from({ length: count }, () =>
    fork(
      join(import.meta.dirname, 'fleet/worker-process.ts'),
      [db.connectionString, String(sleepMs), String(slots)],
      { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
    ),
  );
  try {
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    const jobs = jobsPerWorker * count;
    const cpuMs = () => workers.reduce((sum, { pid = 0 }) => sum + processorMs(pid), 0);
    const before = cpuMs();
    await addJobs(db, { jobs, accounts: 4 });
    const startedAtMs = Date.now();
    for (;;) {
      const { left } = onlyRow(
        await db.query<{ left: number }>(
          `select count(*)::int as left from transcription where status = 'processing'`,
        ),
      );
      if (left === 0) break;
      if (Date.now() - startedAtMs > 120_000) throw new Error(`${left} jobs were not done in time`);
      await delay(50);
    }
    const perMinute = jobs / ((Date.now() - startedAtMs) / 60_000);
    return { perMinute, cpuMsPerJob: (cpuMs() - before) / jobs };
  } finally {
    await stopAll(workers);
  }
}

/** Of a process since its start, in ticks of 10 ms. */
function processorMs(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}

async function stopAll(workers: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    workers.map(async (worker) => {
      if (worker.exitCode !== null || worker.signalCode !== null) return;
      worker.kill('SIGTERM');
      await Promise.race([once(worker, 'exit'), delay(20_000)]);
      worker.kill('SIGKILL');
    }),
  );
}

async function oldList(db: Database): Promise<BenchmarkRow> {
  const store = accountStore(parsePlanTable(builtInPlans));
  const [old] = [await filled(db, store), await filled(db, store)];
  await db.query('analyze transcription');
  const times = await timed(200, () => transcriptionStore.listNewest(db, old, 50));
  const p99 = percentile(times, 0.99);
  return {
    figure: 'list of an account with 60,000 old jobs beside one with 60,000 newer, median (p99)',
    value: `${percentile(times, 0.5).toFixed(2)} ms (${p99.toFixed(2)} ms)`,
    bar: 'under 2 ms',
    passed: percentile(times, 0.5) < 2,
  };
}

async function filled(db: Database, store: ReturnType<typeof accountStore>): Promise<string> {
  const { id } = await store.create(db, { name: 'bench', plan: 'pro' });
  await db.query(
    `insert into transcription (id, account_id, filename, status, source, options, finished_at, text)
     select gen_random_uuid(), $1, 'a.mp3', 'completed', '{"kind":"url","url":"https://example.com/a"}', '{}', now(), 'text'
     from generate_series(1, 60000)`,
    [id],
  );
  return id;
}

async function timed(count: number, work: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const startedAt = performance.now();
    await work();
    times.push(performance.now() - startedAt);
  }
  return times;
}
