/** The real service as a process on a database and a data directory of its own, for measuring and for killing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ownCheckout = join(import.meta.dirname, '..', '..');

export interface BenchService {
  url: string;
  pid: number;
  headers: Record<string, string>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface BenchPlace {
  dataDir: string;
  databaseUrl: string;
  /** Free and fixed, so that signed URLs stay good over a restart. */
  port: number;
  apiKey: string;
  settings?: Record<string, string>;
  /** Of the release that runs there; this one unless told. */
  checkout?: string;
}

export function benchApiKey(): string {
  return `lh_${randomBytes(18).toString('hex')}`;
}

/** Uploads are prepared by the hundred and never used, which an account of a real plan may not do. */
const plans = {
  pro: {
    file_bytes_max: 5 * 2 ** 30,
    media_seconds_max: 36_000,
    daily_transcriptions_max: 1_000_000,
    running_transcriptions_max: 1_000,
    speaker_diarization: true,
    unclaimed_bytes_max: 2 ** 50,
    open_uploads_max: 1_000_000,
  },
};

export function startBenchService(place: BenchPlace): Promise<BenchService> {
  return startProcess(place, ['serve', '--role', 'api']);
}

/** A worker on the same database and data directory; its `url` is empty. */
export function startBenchWorker(place: BenchPlace): Promise<BenchService> {
  return startProcess(place, ['worker']);
}

async function startProcess(place: BenchPlace, args: readonly string[]): Promise<BenchService> {
  const plansFile = join(place.dataDir, 'plans.json');
  await mkdir(place.dataDir, { recursive: true });
  await writeFile(plansFile, JSON.stringify(plans));
  const main = join(place.checkout ?? ownCheckout, 'src', 'main.ts');
  const child = spawn(process.execPath, [main, ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      LONGHAND_PORT: String(place.port),
      LONGHAND_DATA_DIR: place.dataDir,
      LONGHAND_DATABASE_URL: place.databaseUrl,
      LONGHAND_API_KEY: place.apiKey,
      LONGHAND_PLANS: plansFile,
      LONGHAND_RATE_REQUESTS: '1000000',
      LONGHAND_RATE_CREATES: '1000000',
      LONGHAND_LOG_LEVEL: 'fatal',
      ...place.settings,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await readyUrl(child);
  return {
    url,
    pid: child.pid ?? 0,
    headers: { authorization: `Bearer ${place.apiKey}` },
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      await once(child, 'exit');
    },
  };
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the service has no standard output');
  for await (const line of createInterface({ input: child.stdout })) {
    const ready = /^Longhand (?:(?:is ready|listens) at (\S+?)(?:,.*)?|worker is ready)$/.exec(line);
    if (!ready) continue;
    child.stdout.resume();
    return ready[1] ?? '';
  }
  throw new Error('the service ended before it was ready');
}

/** Memory of a process that is really in use, in bytes. */
export async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
