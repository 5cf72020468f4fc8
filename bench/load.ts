/**
 * Create, get and list on 64 connections: the service against a bare route with the same statements, in turns. Each
 * connection is an account of its own, since by default none may send more than ten requests a second.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { accountStore } from '../src/account/account-store.ts';
import { createApiKey } from '../src/account/create-api-key.ts';
import { builtInPlans, parsePlanTable } from '../src/account/plan.ts';
import { operatorFor } from '../src/account/principal.ts';
import { systemClock } from '../src/platform/clock.ts';
import { Database } from '../src/platform/database/database.ts';
import { createLogger } from '../src/platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { freePort } from '../test/support/free-port.ts';
import { Random } from '../test/support/random.ts';
import type { Benchmark } from './run.ts';
import { postgresProcesses, processorMs } from './stage/processor-time.ts';
import { benchApiKey, percentile, startBenchService } from './stage/upload-service.ts';

const logger = createLogger({ level: 'error', pretty: false });
const connections = 64;
const rounds = 3;
const roundMs = 5_000;
/** Until the code of both is compiled. */
const warmUpMs = 8_000;
const halfLoadMs = 6_000;
const path = '/api/v1/transcriptions';
/** By key, for gets: without it every round would begin with 64 creates. */
const newestOf = new Map<string, string>();

interface Target {
  url: string;
  /** One for each connection. */
  keys: readonly string[];
  pid: number;
  /** Its data directory. */
  database: string;
}

interface Load {
  perSecond: number;
  /** Of the process and the database, for each request. */
  processorMs: number;
  times: number[];
  failed: number;
}

export async function run(): Promise<Benchmark> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-load-'));
  const postgres = await openEmbeddedPostgres({
    dataDir: join(directory, 'database'),
    logger,
    clock: systemClock,
  });
  const { connectionString } = postgres;
  const service = await startBenchService({
    dataDir: join(directory, 'service'),
    databaseUrl: connectionString,
    port: await freePort(),
    apiKey: benchApiKey(),
  });
  const barePort = await freePort();
  const bare = fork(join(import.meta.dirname, 'fleet/load-bare-process.ts'), [
    connectionString,
    String(barePort),
  ]);
  const db = new Database({ connectionString, connectionsMax: 1, applicationName: 'bench', logger });
  try {
    await once(bare, 'message');
    // Nobody works on the jobs: a worker that is heard from for as long as this takes.
    await db.query(`insert into worker (id, heard_at) values (gen_random_uuid(), now() + interval '1 hour')`);
    const keys = await accountKeys(db);
    const database = join(directory, 'database');
    const ours = { url: service.url, keys, pid: service.pid, database };
    const theirs = { url: `http://127.0.0.1:${barePort}`, keys, pid: bare.pid ?? 0, database };
    return await measured(ours, theirs);
  } finally {
    bare.kill('SIGKILL');
    await service.kill('SIGTERM');
    await db.close();
    await postgres.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function measured(ours: Target, theirs: Target): Promise<Benchmark> {
  const rates: { ours: Load[]; theirs: Load[] } = { ours: [], theirs: [] };
  for (const target of [ours, theirs]) await load(target, { durationMs: warmUpMs, perSecondMax: undefined });
  for (let round = 0; round < rounds; round += 1) {
    rates.theirs.push(await load(theirs, { durationMs: roundMs, perSecondMax: undefined }));
    rates.ours.push(await load(ours, { durationMs: roundMs, perSecondMax: undefined }));
  }
  const [mine, bareRate] = [median(rates.ours, 'perSecond'), median(rates.theirs, 'perSecond')];
  const [mineMs, bareMs] = [median(rates.ours, 'processorMs'), median(rates.theirs, 'processorMs')];
  const half = await load(ours, { durationMs: halfLoadMs, perSecondMax: mine / 2 });
  const bareHalf = await load(theirs, { durationMs: halfLoadMs, perSecondMax: mine / 2 });
  const [p99, bareP99] = [percentile(half.times, 0.99), percentile(bareHalf.times, 0.99)];
  return {
    title: `Create, get and list (1 : 4 : 4) on ${connections} connections`,
    rows: [
      { figure: 'requests per second', value: mine.toFixed(0) },
      { figure: 'of a bare route with the same statements, prepared', value: bareRate.toFixed(0) },
      {
        figure: 'of the bare route',
        value: (mine / bareRate).toFixed(2),
        bar: 'at least 0.9',
        passed: mine / bareRate >= 0.9,
      },
      {
        figure: 'processor time a request, with the database: ours, of the bare route',
        value: `${mineMs.toFixed(2)}, ${bareMs.toFixed(2)} ms`,
      },
      { figure: 'p99 at half load', value: `${p99.toFixed(1)} ms`, bar: 'under 50 ms', passed: p99 < 50 },
      { figure: 'of the bare route at as many requests', value: `${bareP99.toFixed(1)} ms` },
      {
        figure: 'answers that were no success',
        value: String(half.failed),
        bar: '0',
        passed: half.failed === 0,
      },
    ],
  };
}

function median(loads: readonly Load[], of: 'perSecond' | 'processorMs'): number {
  const values = loads.map((one) => one[of]);
  return percentile(values, 0.5);
}

async function accountKeys(db: Database): Promise<string[]> {
  const store = accountStore(parsePlanTable(builtInPlans));
  const keys: string[] = [];
  for (let number = 0; number < connections; number += 1) {
    const account = await store.create(db, { name: `load ${number}`, plan: 'pro' });
    keys.push(
      (await createApiKey({ db, clock: systemClock }, operatorFor(account), { name: 'load', validMs: null }))
        .key,
    );
  }
  return keys;
}

async function load(
  { url, keys, pid, database }: Target,
  { durationMs, perSecondMax }: { durationMs: number; perSecondMax: number | undefined },
): Promise<Load> {
  const pool = new Pool(url, { connections });
  const times: number[] = [];
  let failed = 0;
  const processor = () => processorMs([pid, ...postgresProcesses(database)]);
  const usedMs = processor();
  const startedAt = performance.now();
  /** Gives the id of the account's newest job. */
  const one = async (random: Random, key: string, newest: string): Promise<string> => {
    const turn = random.integer(0, 8);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const at = performance.now();
    const { statusCode, body } =
      turn === 0 || newest === ''
        ? await pool.request({
            method: 'POST',
            path,
            headers,
            body: JSON.stringify({ source_url: 'https://example.com/talk.mp3' }),
          })
        : await pool.request({ method: 'GET', path: turn < 5 ? path : `${path}/${newest}`, headers });
    const text = await body.text();
    times.push(performance.now() - at);
    if (statusCode >= 300) failed += 1;
    return statusCode === 202 ? JSON.parse(text).data.id : newest;
  };
  const paceMs = perSecondMax === undefined ? 0 : (1000 * connections) / perSecondMax;
  await Promise.all(
    keys.map(async (key, index) => {
      const random = new Random(index + 1);
      let newest = newestOf.get(key) ?? '';
      await delay(random.fraction() * paceMs);
      for (let next = performance.now(); performance.now() - startedAt < durationMs; ) {
        newest = await one(random, key, newest);
        newestOf.set(key, newest);
        next += paceMs;
        if (paceMs > 0) await delay(Math.max(0, next - performance.now()));
      }
    }),
  );
  const perSecond = times.length / ((performance.now() - startedAt) / 1000);
  const used = (processor() - usedMs) / times.length;
  await pool.close();
  return { perSecond, processorMs: used, times, failed };
}
