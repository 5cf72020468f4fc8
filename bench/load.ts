/** Create, get and list on 64 connections: the service against a bare route with the same statements, in turns. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Pool } from 'undici';
import { systemClock } from '../src/platform/clock.ts';
import { Database } from '../src/platform/database.ts';
import { createLogger } from '../src/platform/telemetry.ts';
import { openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { freePort } from '../test/support/free-port.ts';
import { Random } from '../test/support/random.ts';
import type { Benchmark } from './run.ts';
import { benchApiKey, percentile, startBenchService } from './upload-service.ts';

const logger = createLogger({ level: 'error', pretty: false });
const connections = 64;
const rounds = 3;
const roundMs = 5_000;
/** Until the code of both is compiled. */
const warmUpMs = 8_000;
const halfLoadMs = 6_000;
const path = '/api/v1/transcriptions';

interface Target {
  url: string;
  key: string;
}

export async function run(): Promise<Benchmark> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-load-'));
  const postgres = await openEmbeddedPostgres({
    dataDir: join(directory, 'database'),
    logger,
    clock: systemClock,
  });
  const { connectionString } = postgres;
  const key = benchApiKey();
  const service = await startBenchService({
    dataDir: join(directory, 'service'),
    databaseUrl: connectionString,
    port: await freePort(),
    apiKey: key,
  });
  const barePort = await freePort();
  const bare = fork(join(import.meta.dirname, 'load-bare-process.ts'), [connectionString, String(barePort)]);
  const db = new Database({ connectionString, connectionsMax: 1, applicationName: 'bench', logger });
  try {
    await once(bare, 'message');
    // Nobody works on the jobs: a worker that is heard from for as long as this takes.
    await db.query(`insert into worker (id, heard_at) values (gen_random_uuid(), now() + interval '1 hour')`);
    const ours = { url: service.url, key };
    const theirs = { url: `http://127.0.0.1:${barePort}`, key };
    const rates: { ours: number[]; theirs: number[] } = { ours: [], theirs: [] };
    for (const target of [ours, theirs])
      await load(target, { durationMs: warmUpMs, perSecondMax: undefined });
    for (let round = 0; round < rounds; round += 1) {
      rates.theirs.push((await load(theirs, { durationMs: roundMs, perSecondMax: undefined })).perSecond);
      rates.ours.push((await load(ours, { durationMs: roundMs, perSecondMax: undefined })).perSecond);
    }
    const [mine, bareRate] = [percentile(rates.ours, 0.5), percentile(rates.theirs, 0.5)];
    const half = await load(ours, { durationMs: halfLoadMs, perSecondMax: mine / 2 });
    const p99 = percentile(half.times, 0.99);
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
        { figure: 'p99 at half load', value: `${p99.toFixed(1)} ms`, bar: 'under 50 ms', passed: p99 < 50 },
        {
          figure: 'answers that were no success',
          value: String(half.failed),
          bar: '0',
          passed: half.failed === 0,
        },
      ],
    };
  } finally {
    bare.kill('SIGKILL');
    await service.kill('SIGTERM');
    await db.close();
    await postgres.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function load(
  { url, key }: Target,
  { durationMs, perSecondMax }: { durationMs: number; perSecondMax: number | undefined },
): Promise<{ perSecond: number; times: number[]; failed: number }> {
  const pool = new Pool(url, { connections });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const times: number[] = [];
  let failed = 0;
  let known = '';
  const startedAt = performance.now();
  const one = async (random: Random) => {
    const turn = random.integer(0, 8);
    const at = performance.now();
    const { statusCode, body } =
      turn === 0 || known === ''
        ? await pool.request({
            method: 'POST',
            path,
            headers,
            body: JSON.stringify({ source_url: 'https://example.com/talk.mp3' }),
          })
        : await pool.request({ method: 'GET', path: turn < 5 ? path : `${path}/${known}`, headers });
    const text = await body.text();
    times.push(performance.now() - at);
    if (statusCode >= 300) failed += 1;
    else if (statusCode === 202) known = JSON.parse(text).data.id;
  };
  await one(new Random(0));
  const paceMs = perSecondMax === undefined ? 0 : (1000 * connections) / perSecondMax;
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      const random = new Random(index + 1);
      await delay(random.fraction() * paceMs);
      for (let next = performance.now(); performance.now() - startedAt < durationMs; ) {
        await one(random);
        next += paceMs;
        if (paceMs > 0) await delay(Math.max(0, next - performance.now()));
      }
    }),
  );
  const perSecond = times.length / ((performance.now() - startedAt) / 1000);
  await pool.close();
  return { perSecond, times, failed };
}
