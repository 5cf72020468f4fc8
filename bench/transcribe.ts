/** The first transcript: how right it is, what the whole job costs beside the recognizer alone, and how soon a start is ready. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { joinedRecording, type Recording, recordings } from './speech/recordings.ts';
import { percent, type WordErrors, wordErrors } from './speech/word-error-rate.ts';
import { median } from './stage/figures.ts';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..');
const longhand = join(root, 'bin', 'longhand');
const barePool = join(import.meta.dirname, 'speech/bare-pool.ts');
const processes = 2;
/** Many, because a shared machine may change its speed by a third from one half minute to the next. */
const defaultRounds = '11';
const longSeconds = 600;

/** Parts: `words`, `job` (`--rounds 11`), `start`; all of them without an argument. */
export async function run(args: string[]): Promise<Benchmark> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { rounds: { type: 'string', default: defaultRounds } },
  });
  const rounds = Number(values.rounds);
  const directory = mkdtempSync(join(tmpdir(), 'longhand-bench-'));
  symlinkSync(join(root, 'data', 'models'), join(directory, 'models'));
  const environment = {
    PATH: process.env.PATH ?? '',
    LONGHAND_DATA_DIR: directory,
    LONGHAND_PORT: '0',
    LONGHAND_WORKERS: String(processes),
    LONGHAND_LOG_LEVEL: 'error',
  };
  const wanted = (part: string) => positionals.length === 0 || positionals.includes(part);
  try {
    const clips = recordings();
    const rows: BenchmarkRow[] = [];
    if (wanted('words')) rows.push(await wordErrorRow(clips, environment));
    if (wanted('job'))
      rows.push(...(await jobRows(clips, environment, join(directory, 'long.flac'), rounds)));
    if (wanted('start')) rows.push(await startRow(environment));
    return { title: 'From a file to text', rows };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function wordErrorRow(
  clips: readonly Recording[],
  environment: NodeJS.ProcessEnv,
): Promise<BenchmarkRow> {
  const errors: WordErrors = { referenceWords: 0, wrongWords: 0 };
  for (const clip of clips) {
    const { wrongWords, referenceWords } = wordErrors(clip.text, await transcribed(clip.file, environment));
    errors.wrongWords += wrongWords;
    errors.referenceWords += referenceWords;
  }
  return {
    figure: `word error rate, ${clips.length} clips, ${errors.referenceWords} words`,
    value: `${percent(errors).toFixed(2)} %`,
    bar: 'at most 2 %',
    passed: percent(errors) <= 2,
  };
}

/** Against the recognizer on the same chunks, which it is given, and on the same audio, which it has to take as it comes. */
async function jobRows(
  clips: readonly Recording[],
  environment: NodeJS.ProcessEnv,
  output: string,
  rounds: number,
): Promise<BenchmarkRow[]> {
  const long = joinedRecording(clips, longSeconds, output);
  const { job, plans } = await interleaved(long.file, environment, rounds);
  const jobMs = median(job);
  return plans.map(({ name, bare }) => {
    const bareMs = median(bare);
    const ratio = jobMs / bareMs;
    const single = job.map((ms, round) => ms / (bare[round] ?? Number.NaN)).toSorted((a, b) => a - b);
    console.error(`${name}, each round alone: ${single.map((value) => value.toFixed(3)).join(', ')}`);
    return {
      figure: `longhand transcribe of 10 min against the recognizer alone ${name}, 2 processes, medians of ${rounds} rounds`,
      value: `${ratio.toFixed(3)} × (${(jobMs / 1000).toFixed(1)} s, ${(bareMs / 1000).toFixed(1)} s)`,
      bar: 'at most 1.15 ×',
      passed: ratio <= 1.15,
    };
  });
}

async function startRow(environment: NodeJS.ProcessEnv): Promise<BenchmarkRow> {
  const startsMs: number[] = [];
  for (let round = 0; round < 5; round += 1) startsMs.push(await startMs(environment));
  const start = median(startsMs);
  return {
    figure: 'second start to ready',
    value: `${Math.round(start)} ms`,
    bar: 'under 3 s',
    passed: start < 3_000,
  };
}

async function transcribed(file: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await execute(longhand, ['transcribe', file], { env, maxBuffer: 2 ** 26 });
  return stdout;
}

interface Times {
  job: number[];
  plans: { name: string; bare: number[] }[];
}

/** Everything is a command of its own; each round runs one after the other. */
async function interleaved(file: string, env: NodeJS.ProcessEnv, rounds: number): Promise<Times> {
  const directory = env.LONGHAND_DATA_DIR ?? '';
  const audioFile = join(directory, 'long.s16le');
  await execute('ffmpeg', ['-v', 'error', '-i', file, '-ac', '1', '-ar', '16000', '-f', 's16le', audioFile]);
  const bare = (step: string, planFile: string) =>
    execute(process.execPath, [barePool, step, audioFile, planFile, String(processes)], { env });
  const plans = [
    { name: 'on the same chunks', step: 'plan', file: join(directory, 'chunks.json'), bare: [] as number[] },
    {
      name: 'on the same audio, cut every 15 s',
      step: 'cut',
      file: join(directory, 'cuts.json'),
      bare: [] as number[],
    },
  ];
  for (const plan of plans) await bare(plan.step, plan.file);
  const job: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    job.push(await timed(() => transcribed(file, env)));
    for (const plan of plans) plan.bare.push(await timed(() => bare('recognise', plan.file)));
  }
  return { job, plans };
}

async function startMs(env: NodeJS.ProcessEnv): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(longhand, ['serve'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  for await (const part of child.stdout) {
    output += part;
    if (output.includes('Longhand is ready')) break;
  }
  const readyMs = performance.now() - startedAt;
  child.kill();
  await once(child, 'exit');
  return readyMs;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
