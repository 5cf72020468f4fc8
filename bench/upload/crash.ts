/** Uploads killed at random points, on the client's side and on ours; then a count of what is left. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { DiskBudget, spaceOf } from '../../src/platform/disk/disk-budget.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { identityFileName } from '../../src/storage/local/local-identity.ts';
import { LocalStore } from '../../src/storage/local/local-store.ts';
import { UploadThreads } from '../../src/storage/local/upload-threads.ts';
import { objectStores } from '../../src/storage/object-store.ts';
import { sweep } from '../../src/upload/sweep.ts';
import type { BenchmarkRow } from '../run.ts';
import { type BenchPlace, type BenchService, startBenchService } from '../stage/upload-service.ts';

const uploadsTotal = 200;
const atOnce = 8;
const mebibyte = 1024 * 1024;
const hourMs = 3_600_000;

interface Attempt {
  key: string;
  storage: string;
  sizeBytes: number;
  sha256: string;
  /** The service had said that the object is there. */
  acknowledged: boolean;
}

interface Target {
  key: string;
  storage: string;
  upload: { type: string; url: string; upload_id: string; part_size: number; parts: { url: string }[] };
}

export async function crashRows(place: BenchPlace, db: Database, workDir: string): Promise<BenchmarkRow[]> {
  let service = await startBenchService(place);
  const attempts: Attempt[] = [];
  let serviceKills = 0;
  for (let first = 0; first < uploadsTotal; first += atOnce) {
    const isServiceKilled = (first / atOnce) % 2 === 1;
    const running = Array.from({ length: Math.min(atOnce, uploadsTotal - first) }, (_, index) =>
      oneUpload(service, workDir, first + index, !isServiceKilled && randomInt(4) > 0, attempts),
    );
    if (isServiceKilled) {
      await sleep(randomInt(20, 900));
      await service.kill('SIGKILL');
      serviceKills += 1;
    }
    await Promise.all(running);
    if (isServiceKilled) service = await startBenchService(place);
  }
  const usable = await usableUploads(service, attempts);
  await service.kill('SIGTERM');
  return judge({ place, db, attempts, usable, serviceKills });
}

/** One upload by curl, perhaps killed on its way. Whatever goes wrong is what this is about. */
async function oneUpload(
  service: BenchService,
  workDir: string,
  number: number,
  isKilled: boolean,
  attempts: Attempt[],
): Promise<void> {
  const isLarge = number % 3 === 0;
  const bytes = mediaLike(isLarge ? randomInt(17, 40) * mebibyte : randomInt(1, 8 * mebibyte));
  const path = join(workDir, `payload-${number}`);
  await writeFile(path, bytes);
  try {
    const target = await post<Target>(service, '/api/v1/uploads', { filename: 'a.wav', size: bytes.length });
    const attempt: Attempt = {
      key: target.key,
      storage: target.storage,
      sizeBytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      acknowledged: false,
    };
    attempts.push(attempt);
    const killAfterMs = isKilled ? randomInt(1, 400) : undefined;
    attempt.acknowledged =
      target.upload.type === 'single'
        ? (await curlPut(path, target.upload.url, ['-H', 'Content-Type: audio/wav'], killAfterMs)) !==
          undefined
        : await sendParts(service, target, path, bytes, killAfterMs);
  } catch {
    // The service was killed under the request.
  }
}

async function sendParts(
  service: BenchService,
  { key, storage, upload }: Target,
  path: string,
  bytes: Buffer,
  killAfterMs: number | undefined,
): Promise<boolean> {
  const parts: { part_number: number; etag: string }[] = [];
  for (const [index, { url }] of upload.parts.entries()) {
    const piece = `${path}-${index}`;
    await writeFile(piece, bytes.subarray(index * upload.part_size, (index + 1) * upload.part_size));
    const etag = await curlPut(piece, url, [], index === upload.parts.length - 1 ? killAfterMs : undefined);
    if (etag === undefined) return false;
    parts.push({ part_number: index + 1, etag });
  }
  await post(service, '/api/v1/uploads/multipart', { key, storage, upload_id: upload.upload_id, parts });
  return true;
}

/** The ETag of a PUT that was answered with 200. */
async function curlPut(
  path: string,
  url: string,
  headers: string[],
  killAfterMs: number | undefined,
): Promise<string | undefined> {
  const args = [
    '-sS',
    '--fail',
    '--limit-rate',
    '40M',
    '-o',
    '/dev/null',
    '-w',
    '%header{etag}',
    '-T',
    path,
    ...headers,
  ];
  const curl = spawn('curl', [...args, url], { stdio: ['ignore', 'pipe', 'ignore'] });
  let etag = '';
  curl.stdout.on('data', (text: Buffer) => {
    etag += text;
  });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => curl.kill('SIGKILL'), killAfterMs);
  const [code] = (await once(curl, 'close')) as [number | null];
  clearTimeout(timer);
  return code === 0 && etag !== '' ? etag : undefined;
}

/** Keys that pass every check of an upload when a job is created from them: without a worker that ends in a 503. */
async function usableUploads(service: BenchService, attempts: readonly Attempt[]): Promise<Set<string>> {
  const usable = new Set<string>();
  for (const { key, storage, sizeBytes } of attempts) {
    const response = await fetch(`${service.url}/api/v1/transcriptions`, {
      method: 'POST',
      headers: { ...service.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ upload: { filename: 'a.wav', key, storage, size: sizeBytes } }),
    });
    const { error } = (await response.json()) as { error: { code: string } };
    if (error.code === 'api_processing_unavailable') usable.add(key);
    else if (error.code !== 'upload_not_found') throw new Error(`create answered ${error.code}`);
  }
  return usable;
}

async function judge(outcome: {
  place: BenchPlace;
  db: Database;
  attempts: readonly Attempt[];
  usable: ReadonlySet<string>;
  serviceKills: number;
}): Promise<BenchmarkRow[]> {
  const { place, db, attempts, usable } = outcome;
  const directory = join(place.dataDir, 'objects');
  const uploadThreads = new UploadThreads();
  const shifted = (ms: number): Clock => ({
    ...systemClock,
    date: () => new Date(Date.now() + ms),
    now: () => Date.now() + ms,
  });
  const local = localStoreAt(place, uploadThreads);
  const sweepAt = (ms: number) =>
    sweep({
      db,
      stores: objectStores('local', [local]),
      clock: shifted(ms),
      logger: createLogger({ level: 'error', pretty: true }),
      retentionDays: 0,
    });
  await sweepAt(6 * hourMs);
  const acknowledged = attempts.filter((attempt) => attempt.acknowledged);
  let broken = 0;
  for (const attempt of attempts) {
    if (attempt.acknowledged && !usable.has(attempt.key)) broken += 1;
    else if (usable.has(attempt.key) && (await sha256Of(local, attempt.key)) !== attempt.sha256) broken += 1;
  }
  const orphans = (await filesUnder(directory)).filter(
    (path) => ![...usable].some((key) => path.includes(key)),
  );
  await sweepAt(48 * hourMs);
  const last = await filesUnder(directory);
  await uploadThreads.close();
  const unfinished = attempts.length - usable.size;
  return [
    {
      figure: `${uploadsTotal} uploads killed at random points: ${attempts.length} got their URLs, ${acknowledged.length} were acknowledged, ${unfinished} were cut off; ${outcome.serviceKills} kill −9 of the service`,
      value: `${broken} acknowledged or usable objects not whole by hash`,
      bar: '0',
      passed: broken === 0 && acknowledged.length > 0 && unfinished > 0,
    },
    {
      figure: 'files of no usable upload after the sweep; files at all once nobody uses them',
      value: `${[orphans.length, ...orphans].join(' ')}; ${[last.length, ...last].join(' ')}`,
      bar: '0; 0',
      passed: orphans.length === 0 && last.length === 0,
    },
  ];
}

/** Its objects, beside the service. */
export function localStoreAt({ dataDir }: BenchPlace, uploadThreads: UploadThreads): LocalStore {
  return new LocalStore({
    directory: join(dataDir, 'objects'),
    signingKey: randomBytes(32),
    clock: systemClock,
    uploadThreads,
    disk: new DiskBudget({ space: () => spaceOf([dataDir]) }),
  });
}

export async function sha256Of(local: LocalStore, key: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of await local.read(key)) hash.update(piece);
  return hash.digest('hex');
}

/** All but the file that names the storage itself. */
async function filesUnder(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => path !== join(directory, identityFileName));
}

async function post<Data>(service: BenchService, path: string, body: unknown): Promise<Data> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { ...service.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: Data }).data;
}

/** Random bytes behind the head of a WAV file. */
function mediaLike(size: number): Buffer {
  const bytes = randomBytes(Math.max(size, 64));
  bytes.write('RIFF', 0);
  bytes.write('WAVEfmt ', 8);
  return bytes;
}
