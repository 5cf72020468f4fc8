/** Recordings in two languages that take turns, made from sentences with known text. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesPerSample, floatSamples } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { wavHeader } from '../../src/timeline/wav-header.ts';
import { decoded } from './decoded.ts';
import { recordings } from './recordings.ts';

const directory = join(import.meta.dirname, '../../../shared/audio/languages');

export interface Sentence {
  language: string;
  text: string;
  file: string;
}

/** What is spoken from `startSeconds` to `endSeconds`. */
export interface Spoken extends Sentence {
  startSeconds: number;
  endSeconds: number;
  /** Counts the changes of language before it. */
  stretch: number;
  /** The middles of its frames of 10 ms that are not silent. */
  voicedSeconds: number[];
}

export interface MixedRecording {
  name: string;
  file: string;
  spoken: Spoken[];
}

export const pairs = [
  ['en', 'zh'],
  ['en', 'de'],
  ['fr', 'en'],
  ['en', 'es'],
  ['ja', 'en'],
  ['en', 'ko'],
  ['ru', 'en'],
  ['en', 'it'],
  ['pt', 'en'],
  ['de', 'fr'],
  ['zh', 'ru'],
  ['es', 'ja'],
] as const;

/** Seconds of each language in turn; a stretch ends with the first sentence that reaches its length. */
const stretches = [8, 5, 20, 12, 6];

export function sentences(): Sentence[] {
  const table = join(directory, 'transcripts.tsv');
  if (!existsSync(table))
    throw new Error('This benchmark needs the recordings in ../shared/audio/languages, which are not here.');
  const [, ...lines] = readFileSync(table, 'utf8').trim().split('\n');
  const others = lines.map((line) => {
    const [name = '', language = '', text = ''] = line.split('\t');
    return { file: join(directory, name), language, text };
  });
  return [...recordings().map((clip) => ({ ...clip, language: 'en' })), ...others];
}

/** Sentences of one language follow each other after half a second, a change of language after 0.3 to 1.2 s. */
export function mixedRecording(
  all: readonly Sentence[],
  pair: readonly [string, string],
  file: string,
): MixedRecording {
  const parts: Buffer[] = [];
  const spoken: Spoken[] = [];
  const next = new Map<string, number>();
  let samples = 0;
  const add = (audio: Buffer) => {
    parts.push(audio);
    samples += audio.length / bytesPerSample;
  };
  for (const [stretch, wanted] of stretches.entries()) {
    const language = pair[stretch % 2] ?? '';
    const own = all.filter((sentence) => sentence.language === language);
    add(silence(0.3 + 0.3 * (stretch % 4)));
    for (let seconds = 0; seconds < wanted; ) {
      const at = next.get(language) ?? 0;
      next.set(language, at + 1);
      const sentence = own[at % own.length];
      if (!sentence) throw new Error(`there is no sentence in ${language}`);
      const audio = decoded(sentence.file);
      const startSeconds = samples / sampleRate;
      add(audio);
      const voicedSeconds = voicedFrames(audio).map((seconds) => startSeconds + seconds);
      spoken.push({ ...sentence, startSeconds, endSeconds: samples / sampleRate, stretch, voicedSeconds });
      seconds += samples / sampleRate - startSeconds;
      add(silence(0.5));
    }
  }
  writeFileSync(file, Buffer.concat([wavHeader(samples * bytesPerSample), ...parts]));
  return { name: pair.join(' and '), file, spoken };
}

/** What is 35 dB and more below the loudest frame is a pause. */
function voicedFrames(audio: Buffer): number[] {
  const samples = floatSamples(audio);
  const length = sampleRate / 100;
  const levels = Array.from({ length: Math.floor(samples.length / length) }, (_, frame) => {
    const own = samples.subarray(frame * length, (frame + 1) * length);
    return Math.sqrt(own.reduce((sum, sample) => sum + sample * sample, 0) / length);
  });
  const least = Math.max(...levels) / 10 ** (35 / 20);
  return levels.flatMap((level, frame) => (level >= least ? [(frame + 0.5) / 100] : []));
}

function silence(seconds: number): Buffer {
  return Buffer.alloc(Math.round(seconds * sampleRate) * bytesPerSample);
}
