/**
 * Forty minutes of sounds without a word: what does recognition write? The recordings are those that come with Scratch
 * (Debian's package `scratch`), fetched by name and unpacked, not installed; its voices are left out.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, globSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { bytesPerSample } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { wavHeader, wavHeaderBytes } from '../../src/timeline/wav-header.ts';
import type { BenchmarkRow } from '../run.ts';
import { sharedDirectory } from '../speaker/voices.ts';
import { atMost } from '../stage/figures.ts';
import { seeded } from '../stage/seeded.ts';
import { decoded } from './decoded.ts';
import { type SpeechStage, transcribed } from './stage.ts';
import { comparableWords } from './word-error-rate.ts';

const minutes = 40;
/** Somebody says words in them. */
const spoken = /\/Vocals\/|PartyNoise/;
/** More words than this in a row are a sentence. */
const sentenceWordsMin = 3;

interface Sound {
  name: string;
  audio: Buffer;
}

function unpackedScratch(directory: string): string {
  const place = join(directory, 'scratch');
  mkdirSync(place);
  execFileSync('apt-get', ['download', 'scratch'], { cwd: place, stdio: 'ignore' });
  const [archive] = globSync('*.deb', { cwd: place });
  if (!archive) throw new Error('the package scratch cannot be fetched');
  execFileSync('dpkg-deb', ['-x', join(place, archive), place]);
  return place;
}

function soundsOf(directory: string): Sound[] {
  return globSync('**/Media/Sounds/**/*.{wav,mp3}', { cwd: directory })
    .filter((file) => !spoken.test(`/${file}`))
    .sort()
    .map((file) => ({ name: basename(file, extname(file)), audio: decoded(join(directory, file)) }));
}

/** `Dog1` and `Dog2` are of one class. */
const classOf = (name: string): string => name.toLowerCase().replace(/[-\d].*$/, '');

/** Every sound again and again for the same time, with pauses of 0.2 to 2 s. */
function soundRecording(sounds: readonly Sound[], file: string): { file: string; starts: number[] } {
  const random = seeded(17);
  const output = openSync(file, 'w');
  let bytes = 0;
  const write = (part: Buffer) => {
    writeSync(output, part);
    bytes += part.length;
  };
  write(wavHeader(0)); // Written again when the length is known.
  const each = (minutes * 60 * sampleRate * bytesPerSample) / sounds.length;
  const starts: number[] = [];
  for (const [i, { audio }] of sounds.entries()) {
    starts.push((bytes - wavHeaderBytes) / bytesPerSample / sampleRate);
    while (bytes - wavHeaderBytes < (i + 1) * each) {
      write(audio);
      write(Buffer.alloc(Math.round((0.2 + 1.8 * random()) * sampleRate) * bytesPerSample));
    }
  }
  writeSync(output, wavHeader(bytes - wavHeaderBytes), 0, wavHeaderBytes, 0);
  closeSync(output);
  return { file, starts };
}

/** Each language has one sentence; whatever the English engine writes for one is invented. */
async function otherLanguages(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const directory = sharedDirectory('languages');
  if (!directory) return [];
  const english = { ...stage, environment: { ...stage.environment, LONGHAND_ENGINE: 'moonshine' } };
  const files = globSync('*.flac', { cwd: directory }).sort();
  let invented = 0;
  for (const file of files) {
    const { output } = await transcribed(english, join(directory, file), 1);
    if (comparableWords(output).length === 0) continue;
    invented += 1;
    console.error(`${file}: ${output.trim()}`);
  }
  return [
    atMost(
      `sentences invented by moonshine for ${files.length} sentences in other languages`,
      invented,
      0,
      '',
    ),
  ];
}

interface Written {
  start: number;
  text: string;
}

export async function sounds(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const found = soundsOf(unpackedScratch(stage.directory));
  const { file, starts } = soundRecording(found, join(stage.directory, 'sounds.wav'));
  const { output } = await transcribed(stage, file, 2, ['--format', 'json']);
  const { segments } = JSON.parse(output) as { segments: Written[] };
  for (const { start, text } of segments) {
    const sound = found[starts.findLastIndex((from) => from <= start)];
    console.error(`${sound?.name} at ${start} s: ${text}`);
  }
  const words = segments.map(({ text }) => comparableWords(text).length);
  const classes = new Set(found.map(({ name }) => classOf(name))).size;
  const sentences = words.filter((count) => count >= sentenceWordsMin).length;
  const of = `${minutes} min of ${found.length} sounds in ${classes} classes, music among them`;
  return [
    atMost(
      `invented words, ${of}`,
      words.reduce((sum, count) => sum + count, 0),
      2,
      '',
    ),
    atMost('segments of three words and more among them', sentences, 0, ''),
    ...(await otherLanguages(stage)),
  ];
}
