/**
 * What the guarded way to audio costs beside the same by hand, and what hostile files cost.
 * `npm run bench -- media [overhead|hostile] [MiB]`: both unless one is named; a video of 1024 MiB unless given.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createEgress } from '../src/egress/egress.ts';
import { parseEgressAllow } from '../src/egress/url.ts';
import { decode } from '../src/media/decode.ts';
import { MediaFailure } from '../src/media/media-failure.ts';
import { createSources } from '../src/media/resolve.ts';
import { systemClock as clock } from '../src/platform/clock.ts';
import { hostileFiles, truncatedFiles } from '../test/fixtures/hostile-files.ts';
import { mediaFolder } from '../test/fixtures/media-files.ts';
import { sandbox } from '../test/support/sandbox.ts';
import { hostileLinks } from './media/hostile-links.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { median } from './stage/figures.ts';

const call = promisify(execFile);
const rounds = 5;
const overheadMax = 1.15;
const programs = { ffmpeg: 'ffmpeg', ffprobe: 'ffprobe', sandbox, clock };

export async function run(args: string[]): Promise<Benchmark> {
  const mebibytes = Number(args.find((arg) => /^\d+$/.test(arg)) ?? 1024);
  const isWanted = (part: string) => args.includes(part) || !/overhead|hostile/.test(args.join());
  const directory = await mkdtemp(join(tmpdir(), 'longhand-bench-'));
  try {
    const overhead = isWanted('overhead') ? await againstByHand(directory, mebibytes) : [];
    const hostileRows = isWanted('hostile') ? await hostile(directory) : [];
    return { title: 'Media: links and files to audio', rows: [...overhead, ...hostileRows] };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function againstByHand(directory: string, mebibytes: number): Promise<BenchmarkRow[]> {
  await makeVideo(join(directory, 'video.mp4'), mebibytes);
  const { size } = await stat(join(directory, 'video.mp4'));
  const { server, url } = await serve(join(directory, 'video.mp4'));
  const byHand: number[] = [];
  const ours: number[] = [];
  try {
    for (let round = 0; round < rounds; round += 1) {
      byHand.push(await timed(() => curlAndFfmpeg(url, join(directory, 'hand'))));
      ours.push(await timed(() => longhand(url, join(directory, 'ours'))));
    }
  } finally {
    server.kill();
  }
  // Other work on the machine only ever adds time, so the quickest round of each is the least disturbed one.
  const best = Math.min(...ours) / Math.min(...byHand);
  const both = (values: number[]) =>
    `${(Math.min(...values) / 1000).toFixed(2)} s (median ${(median(values) / 1000).toFixed(2)} s)`;
  return [
    { figure: 'the video', value: `${(size / 2 ** 20).toFixed(0)} MiB` },
    { figure: `curl, then ffmpeg, best of ${rounds}`, value: both(byHand) },
    { figure: `Longhand: download and decode, best of ${rounds}`, value: both(ours) },
    {
      figure: 'Longhand against by hand, best rounds',
      value: best.toFixed(3),
      bar: `≤ ${overheadMax}`,
      passed: best <= overheadMax,
    },
    { figure: 'Longhand against by hand, medians', value: (median(ours) / median(byHand)).toFixed(3) },
  ];
}

/** Constant-rate H.264 with filler: large at once, with fourteen minutes of sound per GiB. */
async function makeVideo(file: string, mebibytes: number): Promise<void> {
  const seconds = Math.round((mebibytes * 840) / 1024);
  const cbr = [
    '-b:v',
    '10M',
    '-minrate',
    '10M',
    '-maxrate',
    '10M',
    '-bufsize',
    '10M',
    '-x264-params',
    'nal-hrd=cbr',
  ];
  await call('ffmpeg', [
    ...['-v', 'error', '-nostdin', '-f', 'lavfi', '-i', `color=black:size=320x180:rate=25:d=${seconds}`],
    ...[
      '-f',
      'lavfi',
      '-i',
      `sine=300:r=44100:d=${seconds}`,
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      ...cbr,
    ],
    ...['-c:a', 'aac', '-b:a', '128k', '-shortest', file],
  ]);
}

async function curlAndFfmpeg(url: string, directory: string): Promise<void> {
  await mkdir(directory);
  const file = join(directory, 'video.mp4');
  await call('curl', ['-sS', '-o', file, url]);
  // At the priority that Longhand gives its decoders, so that other work on the machine disturbs both alike.
  const decoder = spawn(
    'nice',
    ['-n', '10', 'ffmpeg', '-v', 'error', '-i', file, '-vn', '-ac', '1', '-ar', '16000', '-f', 's16le', '-'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  for await (const _samples of decoder.stdout);
  await rm(directory, { recursive: true });
}

async function longhand(url: string, directory: string): Promise<void> {
  await mkdir(directory);
  const egress = createEgress({ allow: parseEgressAllow(new URL(url).host), clock });
  const sources = createSources({ egress, clock, ytdlp: ['yt-dlp'], sandbox });
  const limits = { sizeBytesMax: 8 * 2 ** 30, durationSecondsMax: 36_000 };
  const { file } = await sources.acquireSource(url, { directory, ...limits });
  const decoded = decode(programs, file, limits);
  for await (const _samples of decoded.audio);
  await decoded.finished;
  await rm(directory, { recursive: true });
}

/** A server of its own process, so that it does not share our thread. */
async function serve(file: string): Promise<{ server: ChildProcess; url: string }> {
  const program = `
    const { createServer } = require('node:http'), { createReadStream, statSync } = require('node:fs');
    const file = process.argv[1];
    const server = createServer((q, r) => {
      r.writeHead(200, { 'content-type': 'video/mp4', 'content-length': statSync(file).size, etag: '"1"' });
      createReadStream(file, { highWaterMark: 1 << 20 }).pipe(r);
    }).listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const server = spawn(process.execPath, ['-e', program, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(server.stdout, 'data')) as [Buffer];
  return { server, url: `http://127.0.0.1:${port.toString().trim()}/video.mp4` };
}

async function hostile(directory: string): Promise<BenchmarkRow[]> {
  await using folder = await mediaFolder();
  const place = { folder, victimPort: 9 };
  const day = join(directory, 'day.flac');
  await call('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono:d=86400', day]);
  const files = [
    ...(await hostileFiles(place)),
    ...(await truncatedFiles(place, [1, 2, 3, 4, 5, 6, 7, 8, 9])),
    { name: '24 hours of silence.flac', path: day },
  ];
  const rows: (Cost & { name: string })[] = [];
  for (const { name, path } of files) rows.push({ name, ...(await measured(() => endOf(path), path)) });
  const linkRows = await hostileLinks(directory, measured);
  const links = linkRows.map(({ name, measured: cost }) => ({ name: `link: ${name}`, ...cost }));
  return [...table(rows, 'hostile files'), ...table(links, 'hostile links')];
}

function table(rows: readonly (Cost & { name: string })[], what: string): BenchmarkRow[] {
  const worst = (pick: (row: Cost) => number) => Math.max(...rows.map(pick)).toFixed(0);
  return [
    ...rows.map(({ name, end, ms, mebibytes }) => ({
      figure: name,
      value: `${end}, ${ms.toFixed(0)} ms, ${mebibytes.toFixed(0)} MiB`,
    })),
    { figure: `longest of ${rows.length} ${what}`, value: `${worst(({ ms }) => ms)} ms` },
    { figure: `most memory of a program, ${what}`, value: `${worst(({ mebibytes }) => mebibytes)} MiB` },
  ];
}

interface Cost {
  end: string;
  ms: number;
  mebibytes: number;
}

/** Runs the work and watches the programs whose command line or environment names the place. */
async function measured(work: () => Promise<string>, place: string): Promise<Cost> {
  let peakKib = 0;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      peakKib = Math.max(peakKib, await programKib(place));
      await clock.sleep(2);
    }
  })();
  const start = performance.now();
  const end = await work();
  const ms = performance.now() - start;
  isOver = true;
  await watching;
  return { end, ms, mebibytes: peakKib / 1024 };
}

async function endOf(path: string): Promise<string> {
  try {
    const decoded = decode(programs, path, { durationSecondsMax: 36_000 });
    for await (const _samples of decoded.audio);
    return `fine (${(await decoded.finished).durationSeconds.toFixed(1)} s)`;
  } catch (error) {
    if (error instanceof MediaFailure) return error.code;
    throw error;
  }
}

/** The high-water mark of the ffmpeg, ffprobe or yt-dlp that works there, as the kernel counts it. */
async function programKib(place: string): Promise<number> {
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid) || Number(pid) <= process.pid) continue;
    const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!/^(\S*\/)?(ffmpeg|ffprobe|python3?)\0/.test(line)) continue;
    const around = line.includes(place)
      ? line
      : await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (!around.includes(place)) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
  }
  return 0;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
