/**
 * Languages inside a recording: whether each is found where it is spoken, and nothing is invented or translated.
 * `npm run bench -- languages`; `--pairs 3` takes the first few of the twelve, after `--skip 4`, `--show` prints what was heard.
 */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Benchmark, BenchmarkRow } from './run.ts';
import {
  type MixedRecording,
  mixedRecording,
  pairs,
  type Spoken,
  sentences,
} from './speech/mixed-languages.ts';
import { editDistance } from './speech/word-error-rate.ts';
import { measured } from './stage/measured-command.ts';

const root = join(import.meta.dirname, '..');
const main = join(root, 'src', 'main.ts');
/** Of the letters in threes that a segment has, so many are in what was said; invented text has a fifth by chance. */
const heardShareMin = 0.3;
const frameSeconds = 0.01;

interface HeardSegment {
  start: number;
  end: number;
  text: string;
  language?: string;
}

interface Figures {
  seconds: number;
  secondsRight: number;
  secondsOther: number;
  invented: string[];
  zeroLength: number;
  letters: number;
  lettersWrong: number;
  wallSeconds: number;
}

export async function run(args: string[]): Promise<Benchmark> {
  const { values } = parseArgs({
    args,
    options: {
      pairs: { type: 'string', default: String(pairs.length) },
      skip: { type: 'string', default: '0' },
      show: { type: 'boolean', default: false },
    },
  });
  const directory = mkdtempSync(join(tmpdir(), 'longhand-bench-'));
  symlinkSync(join(root, 'data', 'models'), join(directory, 'models'));
  const all = sentences();
  const rows: BenchmarkRow[] = [];
  const figures: Figures[] = [];
  try {
    const skipped = Number(values.skip);
    for (const pair of pairs.slice(skipped, skipped + Number(values.pairs))) {
      const recording = mixedRecording(all, pair, join(directory, `${pair.join('-')}.wav`));
      const { segments, wallSeconds } = await heard(recording.file, directory);
      if (values.show) for (const one of segments) console.log(one.start, one.end, one.language, one.text);
      const own = figuresOf(recording, segments, wallSeconds);
      figures.push(own);
      rows.push({ figure: `${recording.name}: language right`, value: share(own.secondsRight, own.seconds) });
      console.log(recording.name, share(own.secondsRight, own.seconds), own.invented.length, 'invented');
      for (const text of own.invented) console.log(`invented in ${recording.name}: ${text}`);
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  const sum = (pick: (one: Figures) => number) => figures.reduce((total, one) => total + pick(one), 0);
  const [seconds, right] = [sum((one) => one.seconds), sum((one) => one.secondsRight)];
  const count = (figure: string, value: number): BenchmarkRow => ({
    figure,
    value: String(value),
    bar: '0',
    passed: value === 0,
  });
  rows.push(
    {
      figure: `language right, ${figures.length} pairs, ${Math.round(seconds)} s of speech`,
      value: share(right, seconds),
      bar: 'at least 95 %',
      passed: right >= 0.95 * seconds,
    },
    {
      figure: 'speech in another language than it is',
      value: share(
        sum((one) => one.secondsOther),
        seconds,
      ),
    },
    count(
      'invented or translated sentences',
      sum((one) => one.invented.length),
    ),
    count(
      'segments without length',
      sum((one) => one.zeroLength),
    ),
    {
      figure: 'wrong letters',
      value: share(
        sum((one) => one.lettersWrong),
        sum((one) => one.letters),
      ),
    },
    {
      figure: 'whole jobs, one worker, with start',
      value: `${sum((one) => one.wallSeconds).toFixed(1)} s`,
    },
  );
  return { title: 'Languages inside a recording', rows };
}

async function heard(file: string, directory: string) {
  const command = [process.execPath, main, 'transcribe', file, '--format', 'json'];
  const { output, wallSeconds } = await measured(command, {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    LONGHAND_DATA_DIR: directory,
    LONGHAND_LOG_LEVEL: 'error',
    LONGHAND_WORKERS: '1',
  });
  return { segments: (JSON.parse(output) as { segments: HeardSegment[] }).segments, wallSeconds };
}

function figuresOf(
  { spoken }: MixedRecording,
  segments: readonly HeardSegment[],
  wallSeconds: number,
): Figures {
  const figures: Figures = {
    seconds: 0,
    secondsRight: 0,
    secondsOther: 0,
    invented: [],
    zeroLength: segments.filter(({ start, end }) => end <= start).length,
    letters: 0,
    lettersWrong: 0,
    wallSeconds,
  };
  for (const { voicedSeconds, language } of spoken) {
    figures.seconds += voicedSeconds.length * frameSeconds;
    for (const at of voicedSeconds) {
      const own = segments.filter(({ start, end }) => start <= at && at < end);
      if (own.some((segment) => segment.language === language)) figures.secondsRight += frameSeconds;
      else if (own.length > 0) figures.secondsOther += frameSeconds;
    }
  }
  for (const stretch of new Set(spoken.map((one) => one.stretch))) {
    const own = spoken.filter((one) => one.stretch === stretch);
    scoreText(
      figures,
      own,
      segments.filter((segment) => isWithin(own, segment)),
    );
  }
  return figures;
}

function isWithin(spoken: readonly Spoken[], { start, end }: HeardSegment): boolean {
  const middle = (start + end) / 2;
  const [first, last] = [spoken[0], spoken.at(-1)];
  return middle >= (first?.startSeconds ?? 0) - 0.25 && middle < (last?.endSeconds ?? 0) + 0.25;
}

function scoreText(figures: Figures, spoken: readonly Spoken[], segments: readonly HeardSegment[]): void {
  const said = lettersOf(spoken.map(({ text }) => text).join(' '));
  const text = lettersOf(segments.map((segment) => segment.text).join(' '));
  figures.letters += said.length;
  figures.lettersWrong += editDistance([...said], [...text]);
  for (const segment of segments) {
    const own = lettersOf(segment.text);
    if (segment.language === spoken[0]?.language && heardShare(own, said) >= heardShareMin) continue;
    figures.invented.push(`${segment.start} ${segment.language} ${segment.text}`);
  }
}

/** Letters in threes; of scripts with a sign for each syllable, the signs. */
function heardShare(own: string, said: string): number {
  const size = /\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}/u.test(said) ? 1 : 3;
  const grams = Array.from({ length: Math.max(1, own.length - size + 1) }, (_, i) => own.slice(i, i + size));
  return grams.filter((gram) => said.includes(gram)).length / grams.length;
}

function lettersOf(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKC')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function share(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1e-9, whole)).toFixed(1)} %`;
}
