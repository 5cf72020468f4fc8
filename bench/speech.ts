/**
 * Recognition: how right, how fast beside the bare recognizer and beside others, how much memory, how well it survives.
 * `npm run bench -- speech` runs clips, long, timeline, job, workers and silence; name others to add or choose:
 * `keywords` (needs espeak-ng and flite), `copies` (--copies 4), `sounds`, `memory` (--hours 10), `kills` (--kills 20),
 * `peers` and `noise` (--peer-minutes 3; --peer-directory keeps what was fetched and built; models of your own with --whisper-cpp-model FILE and --vosk-model DIRECTORY).
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { copies } from './speech/copies.ts';
import { keywords } from './speech/keywords.ts';
import { longRecording, nonSpeechRecording } from './speech/material.ts';
import { noise, peers } from './speech/peers.ts';
import { recordings } from './speech/recordings.ts';
import { sounds } from './speech/sounds.ts';
import { type SpeechSettings, type SpeechStage, settingsOf, transcribed } from './speech/stage.ts';
import { timeline } from './speech/timeline.ts';
import { comparableWords, percent, type WordErrors, wordErrors } from './speech/word-error-rate.ts';
import { atLeast, atMost, mean, median } from './stage/figures.ts';
import { type Measured, measured } from './stage/measured-command.ts';

const root = join(import.meta.dirname, '..');
const bareRecognizer = join(import.meta.dirname, 'speech/bare-recognizer.ts');

const parts: Record<string, (stage: SpeechStage) => Promise<BenchmarkRow[]>> = {
  clips,
  long,
  timeline: ({ clips }) => timeline(clips),
  job,
  workers,
  silence,
  memory,
  kills,
  peers,
  noise,
  keywords,
  copies,
  sounds,
};
const usualParts = ['clips', 'long', 'timeline', 'job', 'workers', 'silence'];

export async function run(args: string[]): Promise<Benchmark> {
  const { settings, wanted } = argumentsOf(args);
  const directory = mkdtempSync(join(tmpdir(), 'longhand-bench-'));
  symlinkSync(join(root, 'data', 'models'), join(directory, 'models'));
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    LONGHAND_DATA_DIR: directory,
    LONGHAND_LOG_LEVEL: 'error',
  };
  const stage = { directory, clips: recordings(), settings, environment };
  const rows: BenchmarkRow[] = [];
  try {
    await transcribed(stage, stage.clips[0]?.file ?? '', 1); // The database is made at the first start only.
    for (const name of wanted) rows.push(...((await parts[name]?.(stage)) ?? []));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return { title: 'Recognition', rows };
}

function argumentsOf(args: string[]): { settings: SpeechSettings; wanted: string[] } {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '30' },
      'worker-minutes': { type: 'string', default: '60' },
      hours: { type: 'string', default: '10' },
      kills: { type: 'string', default: '20' },
      'kill-minutes': { type: 'string', default: '60' },
      copies: { type: 'string', default: '4' },
      rounds: { type: 'string', default: '3' },
      'peer-minutes': { type: 'string', default: '3' },
      'peer-directory': { type: 'string' },
      'whisper-cpp-model': { type: 'string' },
      'vosk-model': { type: 'string' },
    },
  });
  const unknown = positionals.find((name) => !(name in parts));
  if (unknown)
    throw new Error(`There is no part "${unknown}"; the parts are ${Object.keys(parts).join(', ')}.`);
  return { settings: settingsOf(values), wanted: positionals.length > 0 ? positionals : usualParts };
}

async function clips(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const errors: WordErrors = { referenceWords: 0, wrongWords: 0 };
  for (const clip of stage.clips) {
    const { output } = await transcribed(stage, clip.file, 1);
    const own = wordErrors(clip.text, output);
    errors.wrongWords += own.wrongWords;
    errors.referenceWords += own.referenceWords;
  }
  return [
    atMost(
      `word error rate, ${stage.clips.length} clips, ${errors.referenceWords} words`,
      percent(errors),
      2,
      ' %',
    ),
  ];
}

async function long(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const { minutes } = stage.settings;
  const recording = longRecording(stage.clips, minutes, join(stage.directory, 'long.wav'));
  const { output, wallSeconds } = await transcribed(stage, recording.file, 2);
  const errors = wordErrors(recording.text, output);
  return [
    atMost(`word error rate, ${minutes} min joined with pauses and noise`, percent(errors), 3, ' %'),
    { figure: `time of these ${minutes} min, 2 workers`, value: `${wallSeconds.toFixed(1)} s` },
  ];
}

/** The bare recognizer gets the chunks ready made; the job decodes, detects voice and language, stores, assembles. */
async function job(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const { minutes } = stage.settings;
  const recording = longRecording(stage.clips, minutes, join(stage.directory, 'job.wav'));
  const empty = join(stage.directory, 'plan.json');
  await measured([process.execPath, bareRecognizer, 'plan', recording.file, empty], stage.environment);
  const whole: Measured[] = [];
  const bare: Measured[] = [];
  for (let round = 0; round < stage.settings.rounds; round++) {
    whole.push(await transcribed(stage, recording.file, 1));
    bare.push(
      await measured(
        [process.execPath, bareRecognizer, 'recognise', recording.file, empty],
        stage.environment,
      ),
    );
  }
  // Each round by itself: the machine may change its speed by a third from one minute to the next.
  const ratio = (pick: (one: Measured) => number) =>
    median(whole.map((one, i) => pick(one) / pick(bare[i] as Measured)));
  return [
    atMost(
      `longhand transcribe of ${minutes} min against the bare recognizer, time, one process each`,
      ratio((one) => one.wallSeconds),
      1.1,
      ' ×',
    ),
    {
      figure: 'the same, processor time of everything, database and start included',
      value: `${ratio((one) => one.cpuSeconds).toFixed(2)} ×`,
    },
  ];
}

async function workers(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const { workerMinutes: minutes } = stage.settings;
  const { file } = longRecording(stage.clips, minutes, join(stage.directory, 'workers.wav'));
  const seconds: [number[], number[]] = [[], []];
  for (let round = 0; round < stage.settings.rounds; round++) {
    for (const count of [1, 2] as const) {
      seconds[count - 1]?.push((await transcribed(stage, file, count)).wallSeconds);
    }
  }
  const gains = seconds[0].map((alone, i) => alone / (seconds[1][i] ?? Number.NaN));
  return [atLeast(`two workers against one, ${minutes} min`, median(gains), 1.7, ' ×')];
}

async function silence(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const file = nonSpeechRecording(20, join(stage.directory, 'non-speech.flac'));
  const { output } = await transcribed(stage, file, 2);
  return [atMost('hallucinated words, 20 min without speech', comparableWords(output).length, 0, '')];
}

async function memory(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const { hours } = stage.settings;
  const ten = longRecording(stage.clips, 10, join(stage.directory, 'ten.wav'));
  const short = await transcribed(stage, ten.file, 2);
  // A minute less: the joined clips never end exactly there, and a job may hold ten hours.
  const many = longRecording(stage.clips, hours * 60 - 1, join(stage.directory, 'many.wav'));
  const whole = await transcribed(stage, many.file, 2);
  const perHour = whole.wallSeconds / hours / (short.wallSeconds * 6);
  const mebibytes = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;
  return [
    atMost(`peak memory, ${hours} h against 10 min`, whole.memoryBytesMax / short.memoryBytesMax, 1.2, ' ×'),
    {
      figure: 'peak memory of 10 min, service and two speech processes',
      value: mebibytes(short.memoryBytesMax),
    },
    atMost(`time for an hour of audio, ${hours} h against 10 min`, perHour, 1.1, ' ×'),
  ];
}

async function kills(stage: SpeechStage): Promise<BenchmarkRow[]> {
  // Loaded for this part alone: it starts the service as tests do, and the test runner reports at the end.
  const { jobUnderKills } = await import('./speech/kills.ts');
  const recording = longRecording(
    stage.clips,
    stage.settings.killMinutes,
    join(stage.directory, 'killed.wav'),
  );
  const undisturbed = await transcribed(stage, recording.file, 2);
  // Small enough to be sent in one piece.
  const packed = join(stage.directory, 'killed.flac');
  await measured(['ffmpeg', '-v', 'error', '-i', recording.file, packed], stage.environment);
  const result = await jobUnderKills(packed, stage.settings.kills, {
    ...stage.environment,
    LONGHAND_WORKERS: '1',
    LONGHAND_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  });
  const same = comparableWords(result.text).join(' ') === comparableWords(undisturbed.output).join(' ');
  return [
    {
      figure: `text after ${result.kills} kills of the worker`,
      value: same ? 'the same' : 'DIFFERENT',
      bar: 'the same',
      passed: same,
    },
    {
      figure: `work lost by a kill, as a share of the chunk that it struck (${result.lostChunks.length} of them): mean and most`,
      value: `${mean(result.lostChunks).toFixed(2)}, ${Math.max(...result.lostChunks).toFixed(2)}`,
      bar: 'under 1',
      passed: result.lostChunks.length > 0 && Math.max(...result.lostChunks) < 1,
    },
  ];
}
