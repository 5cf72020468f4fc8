/** A worker killed again and again while one long file is recognised: what is lost, and what is done twice. */

import { spawn } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../src/platform/clock.ts';
import { Database } from '../../src/platform/database/database.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../../src/postgres/embedded-postgres.ts';
import type { Chunk } from '../../src/timeline/chunk-plan.ts';
import { voicedSeconds } from '../../src/timeline/utterance.ts';
import { stepQueues } from '../../src/transcription/step/steps.ts';
import { startService } from '../../test/support/service.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

export interface KillResult {
  text: string;
  kills: number;
  /** How far the chunk under way had come at each kill that struck one, as a share of the usual time for so much speech. */
  lostChunks: number[];
}

/**
 * Runs one job over HTTP; `kills` times the worker is ended by SIGKILL at a random moment and started again. It has
 * one speech process, so that the work lost is the time since it ended its last chunk.
 */
export async function jobUnderKills(
  file: string,
  kills: number,
  environment: Record<string, string>,
): Promise<KillResult> {
  const dataDir = environment.LONGHAND_DATA_DIR ?? '';
  const logger = createLogger({ level: 'error', pretty: false });
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  const env = { ...environment, LONGHAND_DATABASE_URL: postgres.connectionString };
  const db = new Database({
    connectionString: postgres.connectionString,
    connectionsMax: 1,
    applicationName: 'longhand-bench',
    logger,
  });
  let worker = startWorker(env);
  const api = await startService({ ...env, LONGHAND_PORT: '0', LONGHAND_API_KEY: apiKey }, ['--role', 'api']);
  try {
    await db.query(noteEnds);
    const id = await create(api.url, file);
    const lost: { ms: number; index: number }[] = [];
    let startedAtMs = Date.now();
    for (let kill = 0; kill < kills; kill++) {
      await chunkSince(db, startedAtMs);
      await delay(Math.random() * 8_000);
      worker.kill('SIGKILL');
      const ms = Date.now() - (await lastDoneMs(db));
      const index = await indexUnderWay(db, startedAtMs);
      if (index !== undefined) lost.push({ ms, index });
      startedAtMs = Date.now();
      worker = startWorker(env);
    }
    const text = await finished(api.url, id);
    const usualMs = await usualChunkMs(db);
    return { text, kills, lostChunks: lost.map(({ ms, index }) => ms / usualMs(index)) };
  } finally {
    worker.kill('SIGKILL');
    await api.stop();
    await db.close();
    await postgres.close();
  }
}

/** The moment at which the result of each chunk was stored. */
const noteEnds = `
  create table bench_chunk_end (index int not null, plan jsonb not null, at timestamptz not null default clock_timestamp());
  create function bench_note_chunk_end() returns trigger language plpgsql as $$
    begin insert into bench_chunk_end (index, plan) values (new.index, new.plan); return new; end $$;
  create trigger bench_note_chunk_end after update on chunk for each row
    when (old.status = 'waiting' and new.status = 'done') execute function bench_note_chunk_end();`;

/** A kill that strikes before a worker has begun its first chunk would cost no work on chunks. */
async function chunkSince(db: Database, startedAtMs: number): Promise<void> {
  const deadline = Date.now() + chunkMsMax;
  while ((await lastDoneMs(db)) <= startedAtMs) {
    if (Date.now() > deadline) throw new Error(`no chunk was done ${chunkMsMax / 1000} s after a start`);
    await delay(100);
  }
}

async function lastDoneMs(db: Database): Promise<number> {
  const [row] = await db.query<{ ms: number | null }>(
    `select (extract(epoch from max(at)) * 1000)::float8 as ms from bench_chunk_end`,
  );
  return row?.ms ?? 0;
}

/**
 * Of the tasks that the worker has taken the first: the next only waits for its process. Undefined where the kill
 * struck between two chunks, or while the recording behind its opening was still being decoded.
 */
async function indexUnderWay(db: Database, startedAtMs: number): Promise<number | undefined> {
  const [row] = await db.query<{ index: number }>(
    `select (data ->> 'index')::int as index from queue.job
     where name = $1 and state = 'active' and started_on >= to_timestamp($2::float8 / 1000)
     order by started_on, (data ->> 'index')::int limit 1`,
    [stepQueues.recognise.name, startedAtMs],
  );
  return row?.index;
}

/** From the middle of the times between the ends of two chunks, one after the other in one process, for each sample of speech. */
async function usualChunkMs(db: Database): Promise<(index: number) => number> {
  const plans = await db.query<{ plan: Chunk }>('select plan from bench_chunk_end');
  const seconds = new Map(plans.map(({ plan }) => [plan.index, voicedSeconds(plan.utterances)]));
  const ends = await db.query<{ index: number; ms: number | null }>(
    `select index, (extract(epoch from at - lag(at) over (order by at)) * 1000)::float8 as ms
     from bench_chunk_end order by at`,
  );
  const msPerSecond = ends
    .flatMap(({ index, ms }) => (ms === null ? [] : [ms / (seconds.get(index) ?? Number.NaN)]))
    .toSorted((a, b) => a - b);
  const usual = msPerSecond[Math.floor(msPerSecond.length / 2)] ?? Number.NaN;
  return (index) => usual * (seconds.get(index) ?? Number.NaN);
}

const attemptsToCreate = 120;
const finishMsMax = 60 * 60_000;
const chunkMsMax = 120_000;
const apiKey = `lh_${'A'.repeat(36)}`;

function startWorker(env: Record<string, string>) {
  return spawn(process.execPath, [main, 'worker'], { env: { ...env, LONGHAND_PORT: '0' }, stdio: 'ignore' });
}

async function create(url: string, file: string): Promise<string> {
  const { size } = await stat(file);
  const prepared = await api(url, '/api/v1/uploads', {
    filename: 'long.flac',
    size,
    content_type: 'audio/flac',
  });
  const { key, storage, content_type, upload } = prepared.data;
  await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: await openAsBlob(file) });
  for (let attempt = 0; attempt < attemptsToCreate; attempt++) {
    const created = await api(url, '/api/v1/transcriptions', {
      upload: { key, storage, filename: 'long.flac', size, content_type },
    });
    if (created.data) return created.data.id;
    await delay(1000); // The worker has not been heard from yet.
  }
  throw new Error(`no job was accepted within ${attemptsToCreate} s`);
}

async function finished(url: string, id: string): Promise<string> {
  const deadline = Date.now() + finishMsMax;
  while (Date.now() < deadline) {
    const { data } = await api(url, `/api/v1/transcriptions/${id}`);
    if (data.status === 'completed') return data.text;
    if (data.status === 'failed') throw new Error(data.error);
    await delay(500);
  }
  throw new Error(`the job was not finished ${finishMsMax / 60_000} min after the last kill`);
}

// biome-ignore lint/suspicious/noExplicitAny: the answers are read as a client without types reads them.
async function api(url: string, path: string, body?: object): Promise<any> {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return response.json();
}
