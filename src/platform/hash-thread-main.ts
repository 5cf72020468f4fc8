/** The body of HashThread: reads files, most often still in the page cache, up to four at a time. */
import { closeSync, openSync, readSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort, receiveMessageOnPort } from 'node:worker_threads';
import type { HashReply, HashRequest } from './hash-thread.ts';
import { blockBytes, laneBytes, laneCount, Md5Lanes } from './md5-lanes.ts';

/** Answers to other requests go before the hash of an upload. On Linux this holds for the calling thread alone. */
const niceness = 5;

interface Job {
  id: number;
  file: number;
  /** Bytes of the lane's buffer: hashed up to `start`, read up to `end`. */
  start: number;
  end: number;
  totalBytes: number;
}

const lanes = new Md5Lanes();
const jobs: (Job | undefined)[] = Array.from({ length: laneCount });
const waiting: HashRequest[] = [];

if (process.platform === 'linux') setPriority(Math.min(getPriority() + niceness, 19));

parentPort?.on('message', (request: HashRequest) => {
  waiting.push(request);
  while (takeWork()) hashSome();
});

/** Fills the free lanes, also with what was asked for in the meantime; false when there is nothing to do. */
function takeWork(): boolean {
  for (let next = nextMessage(); next; next = nextMessage()) waiting.push(next);
  for (let lane = 0; lane < laneCount; lane += 1) {
    while (!jobs[lane] && waiting.length > 0) begin(lane, waiting.shift());
  }
  return jobs.some((job) => job !== undefined);
}

function nextMessage(): HashRequest | undefined {
  return parentPort ? (receiveMessageOnPort(parentPort)?.message as HashRequest | undefined) : undefined;
}

function begin(lane: number, request: HashRequest | undefined): void {
  if (!request) return;
  guarded(request.id, () => {
    jobs[lane] = { id: request.id, file: openSync(request.path, 'r'), start: 0, end: 0, totalBytes: 0 };
    lanes.reset(lane);
  });
}

/** As many blocks as every lane has; what has come to its end is answered. */
function hashSome(): void {
  let blocks = laneBytes / blockBytes;
  for (const [lane, job] of jobs.entries()) {
    if (!job) continue;
    if (job.end - job.start < blockBytes) guarded(job.id, () => refill(lane, job), lane);
    if (!jobs[lane]) continue;
    blocks = Math.min(blocks, Math.floor((job.end - job.start) / blockBytes));
  }
  if (jobs.every((job) => job === undefined)) return;
  lanes.update(
    jobs.map((job) => job?.start ?? 0),
    blocks,
  );
  for (const job of jobs) if (job) job.start += blocks * blockBytes;
}

function refill(lane: number, job: Job): void {
  const buffer = lanes.buffer(lane);
  buffer.copyWithin(0, job.start, job.end);
  job.end -= job.start;
  job.start = 0;
  while (job.end < laneBytes) {
    const bytes = readSync(job.file, buffer, job.end, laneBytes - job.end, null);
    job.end += bytes;
    job.totalBytes += bytes;
    if (bytes === 0) break;
  }
  if (job.end < blockBytes) finish(lane, job);
}

function finish(lane: number, job: Job): void {
  const tail = lanes.buffer(lane).slice(0, job.end);
  reply({ id: job.id, digest: lanes.finish(lane, tail, job.totalBytes) });
  closeSync(job.file);
  jobs[lane] = undefined;
}

function guarded(id: number, work: () => void, lane?: number): void {
  try {
    work();
  } catch (error) {
    const job = lane === undefined ? undefined : jobs[lane];
    if (job) closeSync(job.file);
    if (lane !== undefined) jobs[lane] = undefined;
    reply({ id, error: (error as Error).message });
  }
}

function reply(message: HashReply): void {
  parentPort?.postMessage(message);
}
