/** Two hundred agents that wait for jobs: what they cost in memory, and whether the jobs feel them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendToMcp } from '../test/support/agent-client.ts';
import { ApiClient } from '../test/support/api-client.ts';
import { fixtureSamples, silence } from '../test/support/audio.ts';
import { wavOf } from '../test/support/wav-bytes.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { benchApiKey, residentBytes } from './stage/upload-service.ts';

const agents = 200;
const jobsPerBatch = 3;
/** Long enough that the jobs' time is that of the waiting, not of two hundred requests that arrive at once. */
const clipsPerRecording = 18;
const rounds = 5;
const main = join(import.meta.dirname, '..', 'src', 'main.ts');
const jobWithinMs = 120_000;

interface Batch {
  seconds: number;
  residentBytesMax: number;
}

/** Batches without and with agents by turns, on one service, so that a slow minute of the machine meets both. */
export async function run(): Promise<Benchmark> {
  const dataDir = await mkdtemp(join(tmpdir(), 'longhand-bench-'));
  const key = benchApiKey();
  const child = spawn(process.execPath, [main, 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      LONGHAND_PORT: '0',
      LONGHAND_DATA_DIR: dataDir,
      LONGHAND_API_KEY: key,
      LONGHAND_RATE_REQUESTS: '1000000',
      LONGHAND_RATE_CREATES: '1000000',
      LONGHAND_LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const client = new ApiClient(await readyUrl(child.stdout), key);
    const talk = await recording();
    await batch(client, talk, { pid: child.pid ?? 0, waiting: 0 });
    const alone: Batch[] = [];
    const watched: Batch[] = [];
    for (let round = 0; round < rounds; round += 1) {
      // Which one comes first changes, so that neither gains from what the other left behind.
      const order = round % 2 === 0 ? [0, agents] : [agents, 0];
      for (const waiting of order)
        (waiting === 0 ? alone : watched).push(await batch(client, talk, { pid: child.pid ?? 0, waiting }));
    }
    return { title: `${agents} agents waiting`, rows: rowsOf(alone, watched) };
  } finally {
    child.kill('SIGTERM');
    await once(child, 'exit');
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function readyUrl(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const url = /^Longhand is ready at (\S+)$/.exec(line)?.[1];
    if (url) {
      output.resume();
      return url;
    }
  }
  throw new Error('the service did not start');
}

async function recording(): Promise<Buffer> {
  const names = ['austen-870.flac', 'austen-880.flac', 'austen-930.flac'];
  const clips = await Promise.all(names.map((name) => fixtureSamples(name)));
  const talk = Array.from({ length: clipsPerRecording }, (_, index) => [
    clips[index % clips.length] ?? silence(1),
    silence(1),
  ]);
  return wavOf(Buffer.concat(talk.flat()));
}

/** Some jobs to their end while so many agents wait for them, each again as soon as its wait is over. */
async function batch(
  client: ApiClient,
  talk: Buffer,
  { pid, waiting }: { pid: number; waiting: number },
): Promise<Batch> {
  const uploads = await Promise.all(
    Array.from({ length: jobsPerBatch }, () => client.upload('talk.wav', talk)),
  );
  const beganMs = performance.now();
  const created = await Promise.all(
    uploads.map((upload) => client.post('/api/v1/transcriptions', { upload })),
  );
  const ids: string[] = created.map(({ body }) => body.data.id);
  const waits = Array.from({ length: waiting }, (_, index) =>
    waitFor(client, ids[index % ids.length] ?? '', beganMs + jobWithinMs),
  );
  let residentBytesMax = 0;
  const watch = setInterval(async () => {
    residentBytesMax = Math.max(residentBytesMax, await residentBytes(pid));
  }, 250);
  const ended = await Promise.all(ids.map((id) => client.ended(id, jobWithinMs)));
  const seconds = (performance.now() - beganMs) / 1000;
  if (ended.some(({ body }) => body.data.status !== 'completed')) throw new Error('a job did not complete');
  await Promise.all(waits);
  clearInterval(watch);
  await sleep(1_000);
  return { seconds, residentBytesMax };
}

async function waitFor(client: ApiClient, id: string, untilMs: number): Promise<void> {
  const params = {
    name: 'get_transcript',
    arguments: { id, max_chars: 500 },
    _meta: { progressToken: id },
  };
  while (performance.now() < untilMs) {
    const { body } = await sendToMcp(client, { method: 'tools/call', params });
    if (body.result.structuredContent.status === 'completed') return;
  }
  throw new Error('an agent did not get its transcript');
}

function rowsOf(alone: readonly Batch[], watched: readonly Batch[]): BenchmarkRow[] {
  const seconds = (batches: readonly Batch[]) => median(batches.map((one) => one.seconds));
  const memory = (batches: readonly Batch[]) => median(batches.map((one) => one.residentBytesMax));
  const compared = (
    figure: string,
    without: number,
    withAgents: number,
    shown: (value: number) => string,
  ) => {
    const growth = withAgents / without - 1;
    return {
      figure,
      value: `${shown(without)} without, ${shown(withAgents)} with (${(100 * growth).toFixed(1)} %)`,
      bar: 'at most 5 % more',
      passed: growth <= 0.05,
    };
  };
  return [
    compared(
      `time of ${jobsPerBatch} jobs`,
      seconds(alone),
      seconds(watched),
      (value) => `${value.toFixed(2)} s`,
    ),
    compared(
      'memory of the service',
      memory(alone),
      memory(watched),
      (bytes) => `${Math.round(bytes / 2 ** 20)} MiB`,
    ),
  ];
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? 0)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
