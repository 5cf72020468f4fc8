/** Direct uploads: speed against the disk itself, what the API feels of it, prepare, and what crashes leave behind. */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { systemClock } from '../src/platform/clock.ts';
import { Database } from '../src/platform/database/database.ts';
import { createLogger } from '../src/platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { freePort } from '../test/support/free-port.ts';
import { createTestBucket, skipWithoutS3 } from '../test/support/s3-server.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import {
  type BenchPlace,
  type BenchService,
  benchApiKey,
  percentile,
  residentBytes,
  startBenchService,
} from './stage/upload-service.ts';
import { crashRows } from './upload/crash.ts';

const program = promisify(execFile);
const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;
const rounds = 5;
/** The disk is done with what was removed, and the service is idle again. */
const settleMs = 1000;

/** `npm run bench -- upload [speed|prepare|crash]`: all of it, or one part. */
export async function run(args: string[]): Promise<Benchmark> {
  const workDir = await mkdtemp(join(tmpdir(), 'longhand-bench-'));
  const logger = createLogger({ level: 'error', pretty: true });
  const dataDir = join(workDir, 'database');
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  const { connectionString } = postgres;
  const db = new Database({ connectionString, connectionsMax: 4, applicationName: 'bench', logger });
  const place: BenchPlace = {
    dataDir: join(workDir, 'data'),
    databaseUrl: connectionString,
    port: await freePort(),
    apiKey: benchApiKey(),
  };
  const isWanted = (part: string) => args.length === 0 || args.includes(part);
  try {
    const rows: BenchmarkRow[] = [];
    if (isWanted('speed')) rows.push(...(await speedRows(place, db, workDir)));
    if (isWanted('prepare'))
      rows.push(await prepareRow('local', place, db), ...(await prepareOnS3(place, db)));
    if (isWanted('crash')) rows.push(...(await crashRows(place, db, workDir)));
    return { title: 'Direct uploads on the local storage', rows };
  } finally {
    await db.close();
    await postgres.close();
    await rm(workDir, { recursive: true, force: true });
  }
}

/**
 * dd, the upload and the idle service take turns, so that all of them meet the same disk and the same neighbours. Of
 * dd and of the upload the faster of two in a row counts: the first after a pause is often much slower.
 */
async function speedRows(place: BenchPlace, db: Database, workDir: string): Promise<BenchmarkRow[]> {
  const service = await startBenchService(place);
  const payload = join(workDir, 'payload');
  const part = join(workDir, 'part');
  await program('dd', ['if=/dev/urandom', `of=${payload}`, 'bs=16M', 'count=64']);
  await program('dd', [`if=${payload}`, `of=${part}`, 'bs=16M', 'count=1']);
  const jobUrl = await insertJob(service, db);
  const [idleMs, busyMs]: [number[], number[]] = [[], []];
  const [ddSeconds, uploadSeconds]: [number[], number[]] = [[], []];
  let growthBytes = 0;
  const uploadOnce = async () => {
    const measured = await measuredUpload(service, part);
    growthBytes = Math.max(growthBytes, measured.growthBytes);
    return measured.seconds;
  };
  for (let round = 0; round < rounds; round += 1) {
    ddSeconds.push(Math.min(await ddOnce(workDir, payload), await ddOnce(workDir, payload)));
    uploadSeconds.push(Math.min(await uploadOnce(), await uploadOnce()));
    const upload = uploadOnce();
    let isOver = false;
    upload.finally(() => {
      isOver = true;
    });
    const times = await answerTimes(service, jobUrl, () => isOver);
    await upload;
    busyMs.push(...times);
    await rm(join(place.dataDir, 'objects', 'objects'), { recursive: true, maxRetries: 5 });
    await sleep(settleMs);
    idleMs.push(...(await answerTimes(service, jobUrl, (count) => count === times.length)));
  }
  await service.kill('SIGTERM');
  const [dd, upload] = [percentile(ddSeconds, 0.5), percentile(uploadSeconds, 0.5)];
  const [idle, busy] = [percentile(idleMs, 0.99), percentile(busyMs, 0.99)];
  return [
    {
      figure: `1 GiB in 16 MiB parts, 4 at a time, against dd with fdatasync (the faster of two each, median of ${rounds})`,
      value: `${(1024 / upload).toFixed(0)} of ${(1024 / dd).toFixed(0)} MiB/s: ${(dd / upload).toFixed(2)}`,
      bar: 'at least 0.40',
      passed: dd / upload >= 0.4,
    },
    {
      figure: 'memory growth of the service during it',
      value: `${(growthBytes / mebibyte).toFixed(0)} MiB`,
      bar: 'under 64 MiB',
      passed: growthBytes < 64 * mebibyte,
    },
    {
      figure: `p99 of GET one during it, against idle (${busyMs.length} and ${idleMs.length} answers, taking turns)`,
      value: `${busy.toFixed(1)} against ${idle.toFixed(1)} ms: ${(busy / idle).toFixed(1)} × (medians ${percentile(busyMs, 0.5).toFixed(1)} and ${percentile(idleMs, 0.5).toFixed(1)} ms)`,
      bar: 'under 3 ×',
      passed: busy < 3 * idle,
    },
  ];
}

async function ddOnce(workDir: string, payload: string): Promise<number> {
  const copy = join(workDir, 'copy');
  const elapsed = await seconds(() =>
    program('dd', [`if=${payload}`, `of=${copy}`, 'bs=1M', 'conv=fdatasync']),
  );
  await rm(copy);
  return elapsed;
}

/** What was prepared is taken back at once: the disk has no room to promise for all of it. */
async function prepareRow(storage: string, place: BenchPlace, db: Database): Promise<BenchmarkRow> {
  const service = await startBenchService(place);
  const times: number[] = [];
  const body = JSON.stringify({ filename: 'a.mp4', size: 5 * gibibyte });
  const client = async () => {
    for (let round = 0; round < 40; round += 1) {
      let key = '';
      const prepare = async () => {
        ({ key } = (await post(service, '/api/v1/uploads', body)) as Multipart);
      };
      times.push(1000 * (await seconds(prepare)));
      await db.query('delete from upload where object_key = $1', [key]);
    }
  };
  await post(service, '/api/v1/uploads', body);
  await Promise.all(Array.from({ length: 8 }, client));
  await service.kill('SIGTERM');
  const p99 = percentile(times, 0.99);
  return {
    figure: `prepare of 5 GiB (320 parts) on ${storage}, p99 at 8 concurrent clients (${times.length} answers)`,
    value: `${p99.toFixed(0)} ms (median ${percentile(times, 0.5).toFixed(0)} ms)`,
    bar: 'under 250 ms',
    passed: p99 < 250,
  };
}

/** Only with a server that scripts/s3-server started. */
async function prepareOnS3(place: BenchPlace, db: Database): Promise<BenchmarkRow[]> {
  if (skipWithoutS3) return [];
  const endings: (() => Promise<void>)[] = [];
  const bucket = await createTestBucket({ after: (work) => endings.push(work) });
  const settings = {
    LONGHAND_STORAGE: 's3',
    LONGHAND_S3_ENDPOINT: bucket.endpoint ?? '',
    LONGHAND_S3_BUCKET: bucket.bucket,
    LONGHAND_S3_ACCESS_KEY_ID: bucket.accessKeyId,
    LONGHAND_S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
    LONGHAND_S3_FORCE_PATH_STYLE: 'true',
  };
  const row = await prepareRow('s3 (radosgw on the same machine)', { ...place, settings }, db);
  for (const end of endings) await end();
  return [row];
}

interface Multipart {
  key: string;
  storage: string;
  upload: { upload_id: string; parts: { url: string }[] };
}

/** The whole upload as curl does it; timed from the first byte to the answer of complete. */
async function measuredUpload(service: BenchService, part: string) {
  const body = JSON.stringify({ filename: 'a.mp4', size: gibibyte });
  const { key, storage, upload } = (await post(service, '/api/v1/uploads', body)) as Multipart;
  const args = ['-sS', '--fail', '--parallel', '--parallel-immediate', '--parallel-max', '4'];
  for (const { url } of upload.parts) args.push('-T', part, '-o', '/dev/null', '-w', '%header{etag}\n', url);
  const before = await residentBytes(service.pid);
  let peak = before;
  const watching = new AbortController();
  const watch = watchMemory(service.pid, watching.signal, (bytes) => {
    peak = Math.max(peak, bytes);
  });
  const elapsed = await seconds(async () => {
    const { stdout } = await program('curl', args);
    const parts = stdout
      .trim()
      .split('\n')
      .map((etag, index) => ({ part_number: index + 1, etag }));
    await post(
      service,
      '/api/v1/uploads/multipart',
      JSON.stringify({ key, storage, upload_id: upload.upload_id, parts }),
    );
  });
  watching.abort();
  await watch;
  return { seconds: elapsed, growthBytes: peak - before };
}

async function watchMemory(pid: number, until: AbortSignal, note: (bytes: number) => void): Promise<void> {
  while (!until.aborted) {
    note(await residentBytes(pid));
    await sleep(50);
  }
}

/** Milliseconds of one GET after the other, 5 ms apart, until `isEnough` of their count. */
async function answerTimes(
  service: BenchService,
  url: string,
  isEnough: (count: number) => boolean,
): Promise<number[]> {
  const times: number[] = [];
  while (!isEnough(times.length)) {
    const elapsed = await seconds(async () => {
      const response = await fetch(url, { headers: service.headers });
      if (!response.ok) throw new Error(`GET answered ${response.status}`);
      await response.text();
    });
    times.push(1000 * elapsed);
    await sleep(5);
  }
  return times;
}

/** A job to look at; nobody works on it. */
async function insertJob(service: BenchService, db: Database): Promise<string> {
  const id = randomUUID();
  await db.query(
    `insert into transcription (id, account_id, filename, source, options)
     select $1, id, 'talk.wav', '{"kind":"url","url":"https://example.com/a.mp3"}', '{}' from account limit 1`,
    [id],
  );
  return `${service.url}/api/v1/transcriptions/${id}`;
}

async function post(service: BenchService, path: string, body: string): Promise<unknown> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json' },
    body,
  });
  const { data, error } = (await response.json()) as { data?: unknown; error?: { code: string } };
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${error?.code}`);
  return data;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
