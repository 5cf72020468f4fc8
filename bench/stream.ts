/**
 * The stream of a job: when its first words come, what many readers cost, and that readers who come and go miss nothing.
 * `npm run bench -- stream [first] [readers] [reconnects]`: all of it, or some. The sizes that count are the defaults:
 * `--minutes 5` of jobs with readers and without, `--running 50` jobs at once, `--readers 1000` of them; `--jobs 200`
 * whose readers are cut.
 */
import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Longhand, UploadReference } from 'longhand-client';
import { fileFrom } from 'longhand-client/node';
import { streamEvents } from '../test/support/event-stream.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { longRecording } from './speech/material.ts';
import { recordings } from './speech/recordings.ts';
import { onStage, type Stage } from './stage/stream-stage.ts';
import { residentBytes } from './stage/upload-service.ts';

interface Size {
  /** How long jobs with readers and without are compared. */
  minutes: number;
  running: number;
  readers: number;
  /** Whose readers are cut. */
  jobs: number;
}

const parts: Record<string, (size: Size) => Promise<BenchmarkRow[]>> = { first, readers, reconnects };
const deadlineMs = 420_000;

export async function run(args: string[]): Promise<Benchmark> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '5' },
      running: { type: 'string', default: '50' },
      readers: { type: 'string', default: '1000' },
      jobs: { type: 'string', default: '200' },
    },
  });
  const size = {
    minutes: Number(values.minutes),
    running: Number(values.running),
    readers: Number(values.readers),
    jobs: Number(values.jobs),
  };
  const rows: BenchmarkRow[] = [];
  for (const [name, measure] of Object.entries(parts))
    if (positionals.length === 0 || positionals.includes(name)) rows.push(...(await measure(size)));
  return { title: 'The stream of a job', rows };
}

/** One hour of speech as people send it and as WAV, each on a service of its own: the job before would still run. */
async function first(): Promise<BenchmarkRow[]> {
  const rows: BenchmarkRow[] = [];
  for (const kind of ['MP3', 'WAV'] as const) {
    const seconds = await onStage(async ({ directory, longhand }) => {
      const upload = await longhand.uploads.upload(await fileFrom(hourAs(kind, directory)));
      const startedMs = performance.now();
      const { id } = await longhand.transcriptions.create({ upload });
      return await secondsToText(longhand, id, startedMs);
    });
    rows.push({
      figure: `first words of one hour as ${kind} on the stream, from create, two workers that have not loaded their models`,
      value: `${seconds.toFixed(1)} s`,
      bar: '≤ 15 s',
      passed: seconds <= 15,
    });
  }
  return rows;
}

function hourAs(kind: 'MP3' | 'WAV', directory: string): string {
  const wav = longRecording(recordings(), 60, join(directory, 'hour.wav')).file;
  if (kind === 'WAV') return wav;
  const mp3 = join(directory, 'hour.mp3');
  execFileSync('ffmpeg', ['-v', 'error', '-y', '-i', wav, '-b:a', '64k', mp3]);
  return mp3;
}

async function secondsToText(longhand: Longhand, id: string, startedMs: number): Promise<number> {
  for await (const { type } of longhand.transcriptions.events(id, {
    signal: AbortSignal.timeout(deadlineMs),
  }))
    if (type === 'text') return (performance.now() - startedMs) / 1000;
  throw new Error('the job ended without a text');
}

/** Long enough for several events of each job. */
const readMinutes = 0.5;
const pairsMin = 2;

/** With readers and without take turns, so that both meet the same neighbours on the machine. */
async function readers(size: Size): Promise<BenchmarkRow[]> {
  const { without, withThem } = await onStage((stage) => comparedRuns(stage, size));
  const pairs = without.length;
  const sum = (runs: Run[]) => runs.reduce((total, { seconds }) => total + seconds, 0);
  const growth = (Math.max(...withThem.map(peak)) - Math.min(...without.map(peak))) / 2 ** 20;
  const ratio = sum(withThem) / sum(without);
  const told = withThem.every(({ ended }) => ended === size.readers);
  return [
    {
      figure: `memory of the API process with ${size.readers} readers of ${size.running} running jobs, beyond none (largest of ${pairs} runs)`,
      value: `${growth.toFixed(0)} MiB; every reader got its end: ${told ? 'yes' : 'no'}`,
      bar: '< 150 MB',
      passed: growth * 1.048576 < 150 && told,
    },
    {
      figure: `time of the ${size.running} jobs with them against none (sum of ${pairs} runs each, in turns)`,
      value: `${sum(withThem).toFixed(1)} / ${sum(without).toFixed(1)} s = ${ratio.toFixed(3)}`,
      bar: '≤ 1.05',
      passed: ratio <= 1.05,
    },
  ];
}

/** As many pairs of runs as fit into the time; which of the two goes first changes from pair to pair. */
async function comparedRuns(stage: Stage, size: Size): Promise<{ without: Run[]; withThem: Run[] }> {
  const file = longRecording(recordings(), readMinutes, join(stage.directory, 'short.wav')).file;
  const upload = await stage.longhand.uploads.upload(await fileFrom(file));
  const alone = { ...size, readers: 0 };
  await jobsRun(stage, upload, { ...alone, running: Math.ceil(size.running / 5) }); // Everything is loaded, and the process has the size it has with jobs alone.
  const without: Run[] = [];
  const withThem: Run[] = [];
  const startedMs = performance.now();
  for (let pair = 0; ; pair += 1) {
    const spentMs = performance.now() - startedMs;
    if (pair >= pairsMin && (spentMs * (pair + 1)) / pair > size.minutes * 60_000) break;
    for (const isRead of pair % 2 === 0 ? [false, true] : [true, false])
      (isRead ? withThem : without).push(await jobsRun(stage, upload, isRead ? size : alone));
  }
  return { without, withThem };
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

async function jobsRun(stage: Stage, upload: UploadReference, size: Size): Promise<Run> {
  const { service, longhand } = stage;
  const startedMs = performance.now();
  const created = await Promise.all(
    Array.from({ length: size.running }, () => longhand.transcriptions.create({ upload })),
  );
  const ids = created.map(({ id }) => id);
  const reading = Array.from({ length: size.readers }, (_, index) =>
    readToEnd(stage, ids[index % ids.length] ?? ''),
  );
  let peakBytes = 0;
  for (;;) {
    peakBytes = Math.max(peakBytes, await residentBytes(service.pid));
    const newest = await longhand.transcriptions.list({ limit: size.running });
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

const followedAtOnce = 40;

/** Each job has a reader that is cut again and again and comes back with the number of the last part it saw. */
async function reconnects({ jobs }: Size): Promise<BenchmarkRow[]> {
  const results = await onStage((stage) => followedJobs(stage, jobs));
  const same = results.filter(({ isSame }) => isSame).length;
  const once = results.filter(({ isOnce }) => isOnce).length;
  const cuts = results.reduce((sum, result) => sum + result.cuts, 0);
  const segments = results.reduce((sum, result) => sum + result.segments, 0);
  return [
    {
      figure: `stream against GET for ${jobs} jobs, readers cut at random: the same text; each of ${segments} segments once and in order`,
      value: `${same}; ${once} (${cuts} cuts)`,
      bar: `${jobs}; ${jobs}`,
      passed: same === jobs && once === jobs && cuts > jobs,
    },
  ];
}

async function followedJobs(stage: Stage, jobs: number): Promise<Followed[]> {
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
    while (next < jobs) {
      const upload = uploads[next++ % uploads.length];
      if (!upload) return;
      const { id } = await longhand.transcriptions.create({ upload });
      results.push(await followed(stage, id));
    }
  };
  await Promise.all(Array.from({ length: followedAtOnce }, lane));
  return results;
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
