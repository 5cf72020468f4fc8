/**
 * The three levels of `LONGHAND_ACCURACY`: errors, time and memory of each; and the memory of a process with English
 * alone. `npm run bench -- levels`; `npm run bench -- levels exact` takes one. Needs their models:
 * `longhand models install whisper-tiny whisper-small`.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Accuracy, accuracies } from '../src/speech/engine.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { mixedRecording, type Sentence, sentences } from './speech/mixed-languages.ts';
import { joinedRecording, recordings } from './speech/recordings.ts';
import { comparableWords, editDistance } from './speech/word-error-rate.ts';
import { atMost, median } from './stage/figures.ts';
import { type Measured, measured } from './stage/measured-command.ts';

const root = join(import.meta.dirname, '..');
const main = join(root, 'src', 'main.ts');
const gibibyte = 2 ** 30;
const european = ['de', 'es', 'fr', 'it', 'pt', 'ru'];
const longSeconds = 180;

export async function run(args: string[]): Promise<Benchmark> {
  const wanted = accuracies.filter((level) => args.length === 0 || args.includes(level));
  const directory = mkdtempSync(join(tmpdir(), 'longhand-bench-'));
  symlinkSync(join(root, 'data', 'models'), join(directory, 'models'));
  const clips = sentences().filter(({ language }) => european.includes(language));
  const rows: BenchmarkRow[] = [];
  try {
    const english = joinedRecording(recordings(), 90, join(directory, 'english.wav')).file;
    // Makes the database, too.
    const { speechProcessBytesMax } = await transcribed(directory, english, 'balanced', 1);
    rows.push(atMost('English alone: peak of a process', speechProcessBytesMax / gibibyte, 0.8, ' GiB'));
    for (const level of wanted) {
      const own = await levelRows(level, clips, directory);
      for (const { figure, value } of own) console.log(`${figure}: ${value}`);
      rows.push(...own);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return { title: 'Levels of LONGHAND_ACCURACY', rows };
}

async function levelRows(
  level: Accuracy,
  clips: readonly Sentence[],
  directory: string,
): Promise<BenchmarkRow[]> {
  let [words, wrong] = [0, 0];
  const jobs: Measured[] = [];
  for (const { file, text } of clips) {
    const job = await transcribed(directory, file, level, 2);
    console.log(`${level}: ${job.output.trim()}`);
    const said = comparableWords(text);
    words += said.length;
    wrong += editDistance(said, comparableWords(job.output));
    jobs.push(job);
  }
  const spanish = clips.filter(({ language }) => language === 'es');
  const long = joinedRecording(spanish, longSeconds, join(directory, 'long.wav')).file;
  const ofLong = await transcribed(directory, long, level, 2);
  const mixed = mixedRecording(sentences(), ['en', 'de'], join(directory, 'mixed.wav')).file;
  const ofMixed = await transcribed(directory, mixed, level, 1);
  const peakBytes = Math.max(ofLong.speechProcessBytesMax, ofMixed.speechProcessBytesMax);
  return [
    {
      figure: `${level}: wrong words, ${words} words in six European languages`,
      value: `${wrong}, ${((100 * wrong) / words).toFixed(1)} %`,
    },
    {
      figure: `${level}: a clip of 4 to 9 s, with start, median of six`,
      value: times(median(jobs.map((job) => job.wallSeconds)), median(jobs.map((job) => job.cpuSeconds))),
    },
    {
      figure: `${level}: ${longSeconds} s of Spanish on two workers, with start, for a second of audio`,
      value: times(ofLong.wallSeconds / longSeconds, ofLong.cpuSeconds / longSeconds),
    },
    atMost(
      `${level}: peak of a process, of this and of English and German`,
      peakBytes / gibibyte,
      1.6,
      ' GiB',
    ),
  ];
}

/** On a busy machine only the latter says something. */
function times(wallSeconds: number, cpuSeconds: number): string {
  return `${wallSeconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of processor time`;
}

function transcribed(
  directory: string,
  file: string,
  accuracy: Accuracy,
  workers: number,
): Promise<Measured> {
  return measured([process.execPath, main, 'transcribe', file], {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    LONGHAND_DATA_DIR: directory,
    LONGHAND_LOG_LEVEL: 'error',
    LONGHAND_ACCURACY: accuracy,
    LONGHAND_WORKERS: String(workers),
  });
}
