/**
 * `npm run bench -- upgrade [COMMIT]`: an earlier release becomes this one under load, one process at a time. The earlier
 * one is the last commit before the newest migration unless told.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/telemetry/telemetry.ts';
import { openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import type { Hooks } from '../test/support/cleanup.ts';
import { freePort } from '../test/support/free-port.ts';
import { type Balancer, openBalancer } from './fleet/upgrade-balancer.ts';
import type { Benchmark } from './run.ts';
import {
  type BenchPlace,
  type BenchService,
  benchApiKey,
  startBenchService,
  startBenchWorker,
} from './stage/upload-service.ts';

const root = join(import.meta.dirname, '..');
const clip = join(root, 'test', 'fixtures', 'austen-880.flac');
const clients = 3;
const jobsLeast = 12;
const endedWithinMs = 180_000;

export async function run([commit = commitBeforeNewestMigration()]: string[]): Promise<Benchmark> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-upgrade-'));
  const undo: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
  const hooks: Hooks = { after: (work) => void undo.push(work) };
  try {
    const earlier = await checkoutOf(commit, join(directory, 'earlier'));
    const logger = createLogger({ level: 'error', pretty: false });
    const dataDir = join(directory, 'database');
    const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
    hooks.after(() => postgres.close());
    const balancer = await openBalancer(hooks);
    const place: BenchPlace = {
      dataDir: join(directory, 'service'),
      databaseUrl: postgres.connectionString,
      port: 0,
      apiKey: benchApiKey(),
      settings: {
        LONGHAND_PUBLIC_URL: balancer.url,
        LONGHAND_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
        LONGHAND_DOORS: 'openai',
        LONGHAND_WORKERS: '1',
        LONGHAND_MIGRATE: 'false',
        NODE_NO_WARNINGS: '1',
      },
    };
    migrate({ ...place, checkout: earlier });
    const seen = await upgraded(hooks, place, earlier, balancer);
    return {
      title: `Upgrade of ${commit.slice(0, 12)} under load, one process at a time`,
      rows: rowsOf(seen),
    };
  } finally {
    for (const work of undo.toReversed()) await work();
  }
}

interface Seen {
  requests: number;
  failedRequests: string[];
  jobs: number;
  failedJobs: string[];
  seconds: number;
}

function rowsOf({ requests, failedRequests, jobs, failedJobs, seconds }: Seen): Benchmark['rows'] {
  for (const line of [...failedRequests, ...failedJobs]) console.log(line);
  const none = (found: readonly string[]) => ({ bar: '0', passed: found.length === 0 });
  return [
    { figure: 'two APIs and two workers replaced in', value: `${seconds.toFixed(0)} s` },
    { figure: 'requests meanwhile', value: String(requests) },
    { figure: 'failed requests', value: String(failedRequests.length), ...none(failedRequests) },
    { figure: 'jobs', value: String(jobs) },
    { figure: 'failed jobs', value: String(failedJobs.length), ...none(failedJobs) },
  ];
}

/** Starts the earlier release, loads it, and replaces it. */
async function upgraded(hooks: Hooks, place: BenchPlace, earlier: string, balancer: Balancer): Promise<Seen> {
  const members: { role: 'api' | 'worker'; process: BenchService }[] = [];
  for (const role of ['api', 'worker', 'api', 'worker'] as const) {
    const process = await started(role, { ...place, checkout: earlier });
    if (role === 'api') balancer.add(process.url);
    members.push({ role, process });
  }
  hooks.after(async () => {
    await Promise.all(members.map(({ process }) => process.kill('SIGKILL')));
  });
  const seen: Seen = { requests: 0, failedRequests: [], jobs: 0, failedJobs: [], seconds: 0 };
  const ending = new AbortController();
  const load = Promise.all(
    Array.from({ length: clients }, () => sendJobs(balancer.url, place.apiKey, seen, ending.signal)),
  );
  while (seen.jobs < clients) await Promise.race([delay(200), load]);
  const startedAtMs = Date.now();
  migrate(place);
  for (const member of members) {
    if (member.role === 'api') balancer.remove(member.process.url);
    await member.process.kill('SIGTERM');
    member.process = await started(member.role, place);
    if (member.role === 'api') balancer.add(member.process.url);
  }
  seen.seconds = (Date.now() - startedAtMs) / 1000;
  while (seen.jobs < jobsLeast) await Promise.race([delay(200), load]);
  ending.abort();
  await load;
  return seen;
}

async function started(role: 'api' | 'worker', place: BenchPlace): Promise<BenchService> {
  if (role === 'worker') return await startBenchWorker(place);
  const port = await freePort();
  // It tells the balancer's address as its own.
  return { ...(await startBenchService({ ...place, port })), url: `http://127.0.0.1:${port}` };
}

/** One client after another: upload, create, list, poll to the end; whatever is not as it should be is kept. */
async function sendJobs(url: string, key: string, seen: Seen, ending: AbortSignal): Promise<void> {
  const bytes = await readFile(clip);
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON there is.
  const ask = async (path: string, body?: object, headers: Record<string, string> = {}): Promise<any> => {
    seen.requests += 1;
    const response = await fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  while (!ending.aborted) {
    try {
      const filename = 'austen.flac';
      const { data } = await ask('/api/v1/uploads', { filename, size: bytes.length });
      seen.requests += 1;
      const { url: target, method, headers } = data.upload;
      const put = await fetch(target, { method, headers, body: bytes });
      if (!put.ok) throw new Error(`PUT: ${put.status}`);
      const { key: objectKey, storage, content_type } = data;
      const upload = { filename, key: objectKey, storage, size: bytes.length, content_type };
      const job = await ask('/api/v1/transcriptions', { upload }, { 'idempotency-key': randomUUID() });
      seen.jobs += 1;
      await ask('/api/v1/transcriptions');
      const ended = await polled(() => ask(`/api/v1/transcriptions/${job.data.id}`));
      if (ended.status !== 'completed')
        seen.failedJobs.push(`${job.data.id}: ${ended.status} ${ended.error}`);
    } catch (error) {
      seen.failedRequests.push(String(error));
      await delay(200);
    }
  }
}

async function polled(
  get: () => Promise<{ data: { status: string; error: string | null } }>,
): Promise<{ status: string; error: string | null }> {
  for (const untilMs = Date.now() + endedWithinMs; ; await delay(100)) {
    const { data } = await get();
    if (data.status !== 'processing' || Date.now() > untilMs) return data;
  }
}

/** The sources of a commit, with the packages and models that are here. */
async function checkoutOf(commit: string, directory: string): Promise<string> {
  await mkdir(join(directory, 'data'), { recursive: true });
  const sources = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['x', '-C', directory], { input: sources });
  await symlink(join(root, 'node_modules'), join(directory, 'node_modules'));
  await symlink(join(root, 'data', 'models'), join(directory, 'data', 'models'));
  return directory;
}

function commitBeforeNewestMigration(): string {
  const args = ['log', '-1', '--format=%H', '--diff-filter=A', '--', 'migrations'];
  const newest = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  return execFileSync('git', ['rev-parse', `${newest}^`], { cwd: root, encoding: 'utf8' }).trim();
}

function migrate({ checkout = root, dataDir, databaseUrl }: BenchPlace): void {
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(checkout, 'src', 'main.ts'), 'migrate', '--json'],
    {
      env: {
        PATH: process.env.PATH ?? '',
        LONGHAND_DATA_DIR: dataDir,
        LONGHAND_DATABASE_URL: databaseUrl,
      },
      encoding: 'utf8',
      timeout: 120_000,
    },
  );
  if (status !== 0) throw new Error(`migrate: ${stderr}`);
}
