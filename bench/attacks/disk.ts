/** A free account against a small disk, which another account needs as well. */
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { constants, createGzip } from 'node:zlib';
import { defaultReserveBytes } from '../../src/platform/disk/disk-budget.ts';
import type { Hooks } from '../../test/support/cleanup.ts';
import { onSmallDisk } from '../../test/support/small-disk.ts';
import { wavBytes } from '../../test/support/wav-bytes.ts';
import type { BenchmarkRow } from '../run.ts';
import { loopbackAddress } from './loopback-address.ts';
import {
  type AttackStage,
  clip,
  createJob,
  type Owner,
  openStage,
  seconds,
  transcriptionsPath,
  withCleanup,
} from './stage.ts';

const mebibyte = 1024 * 1024;
const diskMebibytes = 700;
const lookEveryMs = 5;
const rounds = 4;
const uploadsAtOnce = 12;
const uploadMebibytes = 40;
/** Each stays promised, so they are few and small. */
const otherMebibytes = 5;
const otherEveryMs = 30_000;
const pollMs = 2_000;
const linksEndWithinMs = 60_000;
const jobEndsWithinMs = 120_000;
/** Two of a free account run at once, so the second pair waits for the first. */
const links = ['packed-1', 'packed-2', 'endless-1', 'endless-2'];

export function diskAttacks(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    const site = await hostileSite(hooks);
    const stage = await openStage(hooks, {
      settings: { LONGHAND_EGRESS_ALLOW: site },
      wrapper: (directory) => onSmallDisk(directory, diskMebibytes),
    });
    return await greedyAccount(stage, site);
  });
}

/** `/packed…`: endless silence in gzip, a thousandth of its size; `/endless…`: as much, plain. */
async function hostileSite(hooks: Hooks): Promise<string> {
  const server = createServer((request, response) => {
    const isPacked = request.url?.startsWith('/packed') === true;
    const encoding = isPacked ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(200, { 'content-type': 'audio/wav', ...encoding });
    const out = isPacked ? createGzip({ level: constants.Z_BEST_COMPRESSION }) : response;
    if (out !== response) out.pipe(response);
    out.on('error', () => {});
    response.on('close', () => out.destroy());
    out.write(wavBytes(1).subarray(0, 44));
    const silence = Buffer.alloc(mebibyte);
    const more = () => {
      while (!response.destroyed && out.write(silence));
    };
    out.on('drain', more);
    more();
  });
  return await loopbackAddress(server, hooks);
}

async function greedyAccount(stage: AttackStage, site: string): Promise<BenchmarkRow[]> {
  const { process, environment } = stage.service;
  const disk = join('/proc', String(process.pid), 'root', environment.LONGHAND_DATA_DIR ?? '');
  const [greedy, other] = [await stage.owner('free'), await stage.owner('free')];
  const { blocks, bsize } = await statfs(disk);
  const reserveBytes = defaultReserveBytes(blocks * bsize);
  using watch = watchedDisk(disk);
  const answers = [await prepares(other)];
  const jobs = [];
  for (const path of links) jobs.push(await createJob(greedy, { source_url: `http://${site}/${path}.wav` }));
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(Array.from({ length: uploadsAtOnce }, () => sendUnused(greedy)));
    answers.push(await prepares(other));
  }
  const { ended, ms } = await endsOf(greedy, jobs, async () => answers.push(await prepares(other)));
  const job = await createJob(other, { upload: await other.api.uploadFile(clip('austen-870')) });
  const { body } = await other.api.ended(job, jobEndsWithinMs);
  const refused = answers.filter((status) => status !== 200);
  return [
    {
      figure: `free account against a disk of ${diskMebibytes} MiB: 2 gzip links, 2 endless links, ${rounds * uploadsAtOnce} unused uploads of ${uploadMebibytes} MiB, ${uploadsAtOnce} at once: least free space`,
      value: mebibytes(watch.leastFreeBytes),
      bar: `the reserve, ${mebibytes(reserveBytes)}`,
      passed: watch.leastFreeBytes >= reserveBytes,
    },
    {
      figure: `… and another account's prepare of ${otherMebibytes} MiB meanwhile`,
      value: `${answers.length - refused.length} of ${answers.length} are 200${refused.length > 0 ? ` (${refused.join(', ')})` : ''}`,
      bar: 'all 200',
      passed: refused.length === 0,
    },
    {
      figure: '… and its job',
      value: body.data.status,
      bar: 'completed',
      passed: body.data.status === 'completed',
    },
    { figure: '… and the four links', value: `${ended} of ${jobs.length} ended after ${seconds(ms)}` },
  ];
}

function watchedDisk(disk: string): Disposable & { leastFreeBytes: number } {
  const watch = {
    leastFreeBytes: Number.POSITIVE_INFINITY,
    [Symbol.dispose]: () => clearInterval(timer),
  };
  const timer = setInterval(async () => {
    const { bavail, bsize } = await statfs(disk);
    watch.leastFreeBytes = Math.min(watch.leastFreeBytes, bavail * bsize);
  }, lookEveryMs);
  return watch;
}

async function prepares({ api }: Owner): Promise<number> {
  const wanted = { filename: 'a.wav', size: otherMebibytes * mebibyte };
  return (await api.post('/api/v1/uploads', wanted)).status;
}

/** Prepared and sent, if the service lets it, and never used. */
async function sendUnused({ api }: Owner): Promise<void> {
  const size = uploadMebibytes * mebibyte;
  const { status, body } = await api.post('/api/v1/uploads', { filename: 'a.wav', size });
  if (status !== 200) return;
  const { url, headers } = body.data.upload;
  await fetch(url, { method: 'PUT', headers, body: Buffer.alloc(size) }).then(
    (response) => response.arrayBuffer(),
    () => {}, // Refused in the middle.
  );
}

/** How many have ended when there is nothing more to wait for; asks `meanwhile` now and then. */
async function endsOf(
  { api }: Owner,
  jobs: readonly string[],
  meanwhile: () => Promise<unknown>,
): Promise<{ ended: number; ms: number }> {
  const startedAt = performance.now();
  let askedAt = startedAt;
  for (;;) {
    const states = await Promise.all(jobs.map((id) => api.get(`${transcriptionsPath}/${id}`)));
    const ended = states.filter(({ body }) => body.data.status !== 'processing').length;
    const now = performance.now();
    if (ended === jobs.length || now - startedAt > linksEndWithinMs) return { ended, ms: now - startedAt };
    if (now - askedAt > otherEveryMs) {
      askedAt = now;
      await meanwhile();
    }
    await delay(pollMs);
  }
}

function mebibytes(bytes: number): string {
  return `${(bytes / mebibyte).toFixed(1)} MiB`;
}
