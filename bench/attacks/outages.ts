/** What twenty jobs need is away for a while in the middle of them. Their speech is recognised by an endpoint of ours. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Hooks } from '../../test/support/cleanup.ts';
import { createTestBucket, s3Environment } from '../../test/support/s3-server.ts';
import { onSmallDisk } from '../../test/support/small-disk.ts';
import { answerText, openSpeechEndpoint, type SpeechEndpoint } from '../../test/support/speech-endpoint.ts';
import { openTcpProxy } from '../../test/support/tcp-proxy.ts';
import type { BenchmarkRow } from '../run.ts';
import { openS3Server } from '../stage/s3-bench-server.ts';
import {
  type AttackStage,
  attackPlans,
  clip,
  createJob,
  type Owner,
  openStage,
  type StageOptions,
  seconds,
  transcriptionsPath,
  withCleanup,
} from './stage.ts';

const jobsCount = 20;
const outageMs = 90_000;
const fullDiskMs = 60_000;
const firstWithinMs = 180_000;
const endedWithinMs = 240_000;
const diskMebibytes = 64;
/** So that jobs are under way when something goes: a recognizer takes its time. */
const answerMs = 1_000;

interface Outage {
  what: string;
  ms: number;
  begin(): Promise<void> | void;
  end(): Promise<void> | void;
}

export function storageOutage(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    await openS3Server(hooks);
    const s3 = await createTestBucket(hooks);
    const { hostname, port } = new URL(s3.endpoint ?? '');
    const proxy = await openTcpProxy(hooks, { host: hostname, port: Number(port) });
    const stage = await open(hooks, {
      settings: s3Environment({ ...s3, endpoint: `http://${proxy.target}` }),
    });
    return [
      await outageRow(stage, {
        what: 'the object store (S3)',
        ms: outageMs,
        begin: () => proxy.cut(),
        end: () => proxy.restore(),
      }),
    ];
  });
}

export function databaseOutage(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    const stage = await open(hooks);
    const { database } = stage;
    return [
      await outageRow(stage, {
        what: 'the database',
        ms: outageMs,
        begin: () => database.takeAway(),
        end: () => database.bringBack(),
      }),
    ];
  });
}

export function frozenDatabase(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    const stage = await open(hooks);
    const { database } = stage;
    return [
      await outageRow(stage, {
        what: 'the database, stopped with its connections open,',
        ms: outageMs,
        begin: () => database.freeze(),
        end: () => database.thaw(),
      }),
    ];
  });
}

export function engineOutage(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    const stage = await open(hooks);
    const { endpoint } = stage;
    const answers = endpoint.answer;
    return [
      await outageRow(stage, {
        what: 'the remote engine (503 and broken connections)',
        ms: outageMs,
        begin: () => {
          endpoint.answer = (response) => {
            if (endpoint.requests % 2 === 0) response.destroy();
            else response.writeHead(503).end();
          };
        },
        end: () => {
          endpoint.answer = answers;
        },
      }),
    ];
  });
}

/** Without a reserve, so that writes themselves fail. */
export function fullDisk(): Promise<BenchmarkRow[]> {
  return withCleanup(async (hooks) => {
    const stage = await open(hooks, {
      settings: { LONGHAND_DISK_RESERVE: '0' },
      wrapper: (directory) => onSmallDisk(directory, diskMebibytes),
    });
    const { process, environment } = stage.service;
    const filler = join('/proc', String(process.pid), 'root', environment.LONGHAND_DATA_DIR ?? '', 'filler');
    return [
      await outageRow(stage, {
        what: 'room on the disk',
        ms: fullDiskMs,
        begin: () =>
          writeFile(filler, Buffer.alloc(2 * diskMebibytes * 2 ** 20)).then(
            () => Promise.reject(new Error('the disk is not full')),
            ignoreFull,
          ),
        end: () => rm(filler),
      }),
    ];
  });
}

function ignoreFull(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOSPC') throw error;
}

async function open(
  hooks: Hooks,
  options: StageOptions = {},
): Promise<AttackStage & { endpoint: SpeechEndpoint }> {
  const endpoint = await openSpeechEndpoint(hooks);
  endpoint.answer = async (response) => {
    await delay(answerMs);
    answerText(response);
  };
  const settings = {
    ...(await attackPlans(hooks)),
    ...endpoint.settings,
    LONGHAND_EGRESS_ALLOW: endpoint.target,
    LONGHAND_WORKERS: '2',
    ...options.settings,
  };
  return { ...(await openStage(hooks, { ...options, settings })), endpoint };
}

async function outageRow(stage: AttackStage, outage: Outage): Promise<BenchmarkRow> {
  const owner = await stage.owner('pro');
  const upload = await owner.api.uploadFile(clip('austen-870'));
  const jobs: string[] = [];
  for (let i = 0; i < jobsCount; i += 1) jobs.push(await createJob(owner, { upload }));
  const endedBefore = await firstEnds(owner);
  await outage.begin();
  await delay(outage.ms);
  await outage.end();
  const backAt = performance.now();
  await answersAgain(owner);
  const ends = await Promise.all(jobs.map((id) => owner.api.ended(id, endedWithinMs)));
  const afterMs = performance.now() - backAt;
  const { completed, texts, events } = await counted(stage, ends);
  return {
    figure: `${outage.what} away for ${outage.ms / 1000} s in the middle of ${jobsCount} jobs (${endedBefore} had ended before): completed, different texts, terminal events`,
    value: `${completed} of ${jobsCount}, ${texts}, ${events}; the last ${seconds(afterMs)} after the return`,
    bar: `${jobsCount} of ${jobsCount}, 1, ${jobsCount}`,
    passed: completed === jobsCount && texts === 1 && events === jobsCount,
  };
}

/** Gives how many have ended by then. */
async function firstEnds({ api }: Owner): Promise<number> {
  const deadline = Date.now() + firstWithinMs;
  for (;;) {
    const { body } = await api.get(`${transcriptionsPath}?limit=100`);
    const states: string[] = body.data.map((job: { status: string }) => job.status);
    if (states.includes('failed')) throw new Error('a job failed before anything was away');
    const completed = states.filter((status) => status === 'completed').length;
    if (completed > 0) return completed;
    if (Date.now() > deadline) throw new Error('no job ended in time');
    await delay(50);
  }
}

/** A service that has just lost its database answers 503 for a moment longer. */
async function answersAgain({ api }: Owner): Promise<void> {
  const deadline = Date.now() + endedWithinMs;
  while ((await api.get(transcriptionsPath)).status !== 200) {
    if (Date.now() > deadline) throw new Error('the service did not answer again');
    await delay(200);
  }
}

async function counted(
  stage: AttackStage,
  ends: Awaited<ReturnType<Owner['api']['ended']>>[],
): Promise<{ completed: number; texts: number; events: number }> {
  const events = await stage.rows('select from webhook_event');
  return {
    completed: ends.filter(({ body }) => body.data?.status === 'completed').length,
    texts: new Set(ends.map(({ body }) => body.data?.text)).size,
    events: events.length,
  };
}
