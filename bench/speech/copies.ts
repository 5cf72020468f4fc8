/** One talk several times in one recording: its words must not depend on where in the recording it stands. */
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { bytesPerSample, floatSamples } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { wavHeader, wavHeaderBytes } from '../../src/timeline/wav-header.ts';
import type { BenchmarkRow } from '../run.ts';
import { pcm } from '../speaker/speaker-pipeline.ts';
import { sharedDirectory } from '../speaker/voices.ts';
import { atMost } from '../stage/figures.ts';
import { seeded } from '../stage/seeded.ts';
import { decoded } from './decoded.ts';
import { type SpeechStage, transcribed } from './stage.ts';
import { comparableWords, editDistance } from './word-error-rate.ts';

const wordsApartMax = 3;
const meetingsMax = 6;

type Random = () => number;

function silence(seconds: number, level: number, random: Random): Buffer {
  const samples = new Float32Array(Math.round(seconds * sampleRate)).map(() => level * (2 * random() - 1));
  return Buffer.from(pcm(samples));
}

/** The clips as they are, the clips again in real noise of 10 dB, and the meetings: clear, noisy and far voices. */
function talk(stage: SpeechStage, random: Random): Buffer {
  const clips = stage.clips.map(({ file }) => decoded(file));
  const [noiseFile] = readdirSync(sharedDirectory('noise') ?? '.').filter((file) => file.startsWith('noise'));
  const noise = noiseFile ? floatSamples(decoded(join(sharedDirectory('noise') ?? '.', noiseFile))) : null;
  const noisy = noise ? clips.map((clip) => inNoise(floatSamples(clip), noise)) : [];
  const meetings = sharedDirectory('speakers');
  const far = meetings
    ? readdirSync(meetings)
        .filter((file) => file.endsWith('.flac'))
        .sort()
        .slice(0, meetingsMax)
        .map((file) => decoded(join(meetings, file)))
    : [];
  return Buffer.concat(
    [...clips, ...noisy, ...far].flatMap((one) => [one, silence(0.2 + 0.9 * random(), 0, random)]),
  );
}

function inNoise(speech: Float32Array, noise: Float32Array): Buffer {
  const power = (samples: Float32Array) =>
    samples.reduce((sum, value) => sum + value ** 2, 0) / samples.length;
  const gain = Math.sqrt(power(speech) / power(noise) / 10);
  return Buffer.from(pcm(speech.map((value, i) => value + gain * (noise[i % noise.length] as number))));
}

interface Copies {
  file: string;
  /** Where each copy begins, in seconds. */
  begins: number[];
}

/** Between the copies 1 to 5 s of silence or noise, so that the windows and the chunks fall elsewhere in each. */
function copiesOf(spoken: Buffer, count: number, file: string, random: Random): Copies {
  const output = openSync(file, 'w');
  const parts = Array.from({ length: count }, (_, i) =>
    silence(1 + 4 * random(), i % 2 === 0 ? 0 : 0.01, random),
  );
  const bytes = parts.reduce((sum, part) => sum + part.length + spoken.length, 0);
  writeSync(output, wavHeader(bytes));
  let written = wavHeaderBytes;
  const begins = parts.map((part) => {
    written += writeSync(output, part);
    const begin = (written - wavHeaderBytes) / bytesPerSample / sampleRate;
    written += writeSync(output, spoken);
    return begin;
  });
  closeSync(output);
  return { file, begins };
}

export async function copies(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const random = seeded(23);
  const made = copiesOf(
    talk(stage, random),
    stage.settings.copies,
    join(stage.directory, 'copies.wav'),
    random,
  );
  const { output } = await transcribed(stage, made.file, 2, ['--format', 'json']);
  const { segments } = JSON.parse(output) as { segments: { start: number; text: string }[] };
  // A segment may begin a little before its copy: the edge of a voice in noise is uncertain.
  const copyOf = (start: number) => made.begins.findLastIndex((begin) => begin <= start + 0.5);
  const texts = made.begins.map((_, copy) =>
    comparableWords(
      segments
        .filter(({ start }) => copyOf(start) === copy)
        .map(({ text }) => text)
        .join(' '),
    ),
  );
  const [first = [], ...others] = texts;
  const apart = others.map((words) => editDistance(first, words));
  return [
    atMost(
      `words apart from the first of ${texts.length} copies of a talk of ${first.length} words: ${apart.join(', ')}; most`,
      Math.max(...apart),
      wordsApartMax,
      '',
    ),
  ];
}
