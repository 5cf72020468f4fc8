/**
 * The stream of a job: when its first words come, what many readers cost, and that readers who come and go miss nothing.
 * `npm run bench -- stream [first] [readers] [reconnects]`: all of it, or some.
 */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Longhand, type UploadReference } from 'longhand-client';
import { fileFrom } from 'longhand-client/node';
import { systemClock } from '../src/platform/clock.ts';
import { createLogger } from '../src/platform/telemetry.ts';
import { openEmbeddedPostgres } from '../src/postgres/embedded-postgres.ts';
import { streamEvents } from '../test/support/event-stream.ts';
import { freePort } from '../test/support/free-port.ts';
import { recordings } from './recordings.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { longRecording } from './speech-material.ts';
import {
  type BenchPlace,
  type BenchService,
  benchApiKey,
  residentBytes,
  startBenchService,
  startBenchWorker,
} from './upload-service.ts';

interface Stage {
  directory: string;
  service: BenchService;
  apiKey: string;
  longhand: Longhand;
}

const parts: Record<string, (stage: Stage) => Promise<BenchmarkRow[]>> = { first, readers, reconnects };
const deadlineMs = 420_000;

export async function run(args: string[]): Promise<Benchmark> {
  const directory = await mkdtemp(join(tmpdir(), 'longhand-bench-'));
  const logger = createLogger({ level: 'error', pretty: true });
  const dataDir = join(directory, 'database');
  const postgres = await openEmbeddedPostgres({ dataDir, logger, clock: systemClock });
  const place: BenchPlace = {
    dataDir: join(directory, 'data'),
    databaseUrl: postgres.connectionString,
    port: await freePort(),
    apiKey: benchApiKey(),
    settings: { LONGHAND_WORKERS: '2' },
  };
  const worker = await startBenchWorker(place);
  const service = await startBenchService(place);
  try {
    const { apiKey } = place;
    const longhand = new Longhand({ apiKey, baseUrl: service.url });
    const stage = { directory, service, apiKey, longhand };
    const rows: BenchmarkRow[] = [];
    for (const [name, measure] of Object.entries(parts))
      if (args.length === 0 || args.includes(name)) rows.push(...(await measure(stage)));
    return { title: 'The stream of a job', rows };
  } finally {
    await service.kill('SIGKILL');
    await worker.kill('SIGKILL');
    await postgres.close();
    await rm(directory, { recursive: true, force: true });
  }
}

/** One hour of speech as people send it and as WAV; what comes after the first words is not waited for. */
async function first({ directory, longhand }: Stage): Promise<BenchmarkRow[]> {
  const wav = longRecording(recordings(), 60, join(directory, 'hour.wav')).file;
  const mp3 = join(directory, 'hour.mp3');
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', wav, '-b:a', '64k', mp3]);
  const rows: BenchmarkRow[] = [];
  for (const [kind, file] of [
    ['MP3', mp3],
    ['WAV', wav],
  ] as const) {
    const upload = await longhand.uploads.upload(await fileFrom(file));
    const startedMs = performance.now();
    const { id } = await longhand.transcriptions.create({ upload });
    const seconds = await secondsToText(longhand, id, startedMs);
    rows.push({
      figure: `first words of one hour as ${kind} on the stream, from create, two workers`,
      value: `${seconds.toFixed(1)} s`,
      bar: '≤ 15 s',
      passed: seconds <= 15,
    });
  }
  return rows;
}

async function secondsToText(longhand: Longhand, id: string, startedMs: number): Promise<number> {
  for await (const { type } of longhand.transcriptions.events(id, {
    signal: AbortSignal.timeout(deadlineMs),
  }))
    if (type === 'text') return (performance.now() - startedMs) / 1000;
  throw new Error('the job ended without a text');
}

const jobsAtOnce = 50;
const readersInAll = 1_000;
const readerRounds = 2;

/** With readers and without take turns, so that both meet the same neighbours on the machine. */
async function readers(stage: Stage): Promise<BenchmarkRow[]> {
  const file = longRecording(recordings(), 0.2, join(stage.directory, 'short.wav')).file;
  const upload = await stage.longhand.uploads.upload(await fileFrom(file));
  await jobsRun(stage, upload, 0); // Everything is loaded, and the process has the size it has with jobs alone.
  const without: Run[] = [];
  const withThem: Run[] = [];
  for (let round = 0; round < readerRounds; round += 1) {
    without.push(await jobsRun(stage, upload, 0));
    withThem.push(await jobsRun(stage, upload, readersInAll));
  }
  const fastest = (runs: Run[]) => Math.min(...runs.map(({ seconds }) => seconds));
  const growth = (Math.max(...withThem.map(peak)) - Math.min(...without.map(peak))) / 2 ** 20;
  const ratio = fastest(withThem) / fastest(without);
  const told = withThem.every(({ ended }) => ended === readersInAll);
  return [
    {
      figure: `memory of the API process with ${readersInAll} readers of ${jobsAtOnce} running jobs, beyond none (largest of ${readerRounds} runs)`,
      value: `${growth.toFixed(0)} MiB; every reader got its end: ${told ? 'yes' : 'no'}`,
      bar: '< 150 MB',
      passed: growth * 1.048576 < 150 && told,
    },
    {
      figure: `time of the ${jobsAtOnce} jobs with them against none (best of ${readerRounds} each, in turns)`,
      value: `${fastest(withThem).toFixed(1)} / ${fastest(without).toFixed(1)} s = ${ratio.toFixed(3)}`,
      bar: '≤ 1.05',
      passed: ratio <= 1.05,
    },
  ];
}

interface Run {
  seconds: number;
  /** Readers that saw the end of their job. */
  ended: number;
  peakBytes: number;
}

function peak({ peakBytes }: Run): number {
  return peakBytes;
}

async function jobsRun(stage: Stage, upload: UploadReference, readerCount: number): Promise<Run> {
  const { service, longhand } = stage;
  const startedMs = performance.now();
  const created = await Promise.all(
    Array.from({ length: jobsAtOnce }, () => longhand.transcriptions.create({ upload })),
  );
  const ids = created.map(({ id }) => id);
  const reading = Array.from({ length: readerCount }, (_, index) =>
    readToEnd(stage, ids[index % ids.length] ?? ''),
  );
  let peakBytes = 0;
  for (;;) {
    peakBytes = Math.max(peakBytes, await residentBytes(service.pid));
    const newest = await longhand.transcriptions.list({ limit: jobsAtOnce });
    if (newest.every(({ status }) => status !== 'processing')) break;
    if (performance.now() - startedMs > deadlineMs) throw new Error('the jobs take too long');
    await sleep(250);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const ended = (await Promise.all(reading)).filter(Boolean).length;
  return { seconds, ended, peakBytes };
}

/** As little work as a reader can do, so that the service is measured and not the reader. */
function readToEnd({ service, apiKey }: Stage, id: string): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    const url = `${service.url}/api/v1/transcriptions/${id}/events`;
    const request = get(url, { headers, agent: false }, (answer: IncomingMessage) => {
      let tail = '';
      let isEnded = false;
      answer.setEncoding('utf8').on('data', (text: string) => {
        isEnded ||= (tail + text).includes('event: completed');
        tail = text.slice(-20);
      });
      answer.on('close', () => resolve(isEnded));
    });
    request.on('error', () => resolve(false));
  });
}

const reconnectJobs = 200;
const followedAtOnce = 40;

/** Each job has a reader that is cut again and again and comes back with the number of the last part it saw. */
async function reconnects(stage: Stage): Promise<BenchmarkRow[]> {
  const { directory, longhand } = stage;
  const clips = recordings();
  const uploads = await Promise.all(
    Array.from({ length: 4 }, async (_, index) => {
      const some = [...clips.slice(index * 5), ...clips];
      const { file } = longRecording(some, 0.4, join(directory, `several-${index}.wav`));
      return longhand.uploads.upload(await fileFrom(file));
    }),
  );
  const results: Followed[] = [];
  let next = 0;
  const lane = async () => {
    while (next < reconnectJobs) {
      const upload = uploads[next++ % uploads.length];
      if (!upload) return;
      const { id } = await longhand.transcriptions.create({ upload });
      results.push(await followed(stage, id));
    }
  };
  await Promise.all(Array.from({ length: followedAtOnce }, lane));
  const same = results.filter(({ isSame }) => isSame).length;
  const once = results.filter(({ isOnce }) => isOnce).length;
  const cuts = results.reduce((sum, result) => sum + result.cuts, 0);
  const segments = results.reduce((sum, result) => sum + result.segments, 0);
  return [
    {
      figure: `stream against GET for ${reconnectJobs} jobs, readers cut at random: the same text; each of ${segments} segments once and in order`,
      value: `${same}; ${once} (${cuts} cuts)`,
      bar: `${reconnectJobs}; ${reconnectJobs}`,
      passed: same === reconnectJobs && once === reconnectJobs && cuts > reconnectJobs,
    },
  ];
}

interface Followed {
  isSame: boolean;
  isOnce: boolean;
  cuts: number;
  segments: number;
}

async function followed({ service, longhand }: Stage, id: string): Promise<Followed> {
  let text = '';
  let sequence = 0;
  let isOnce = true;
  let cuts = 0;
  const starts: number[] = [];
  for (let isEnded = false; !isEnded; cuts += isEnded ? 0 : 1) {
    if (cuts > 10_000) throw new Error('the job does not end');
    const cut = AbortSignal.timeout(randomInt(20, 1_500));
    const eventsMax = randomInt(1, 6);
    let events = 0;
    try {
      const headers = { ...service.headers, 'last-event-id': String(sequence) };
      const response = await fetch(`${service.url}/api/v1/transcriptions/${id}/events`, {
        headers,
        signal: cut,
      });
      for await (const { id: number, name, data } of streamEvents(response)) {
        if (name === 'text') {
          isOnce &&= Number(number) === sequence + data.segments.length;
          sequence = Number(number);
          text += data.text;
          starts.push(...data.segments.map(({ start }: { start: number }) => start));
        }
        isEnded = name === 'completed' || name === 'failed';
        if (isEnded || ++events >= eventsMax) break;
      }
    } catch {
      // Cut in the middle: what came of it counts all the same.
    }
  }
  const job = await longhand.transcriptions.get(id);
  const isInOrder = JSON.stringify(starts) === JSON.stringify(job.segments?.map(({ start }) => start));
  return { isSame: text === job.text, isOnce: isOnce && isInOrder, cuts, segments: sequence };
}
