/** `npm run bench -- known-voices`: how surely a person is known again by a few seconds of the voice. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cosineMinSamePerson } from '../src/speech/speaker/named-turns.ts';
import { speakerWindows } from '../src/speech/speaker/turn/speaker-windows.ts';
import { dot, type Embedding, meanVector, unitLength } from '../src/speech/speaker/voiceprint/embedding.ts';
import {
  openXVectorEmbedder,
  type SpeakerEmbedder,
} from '../src/speech/speaker/voiceprint/x-vector-embedder.ts';
import { floatSamples } from '../src/timeline/pcm-samples.ts';
import { sampleRate } from '../src/timeline/sample-rate.ts';
import type { SpeechSpan } from '../src/timeline/span.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { humanVoices, sharedDirectory } from './speaker/voices.ts';
import { decoded } from './speech/decoded.ts';

/** Windows of 1.5 s, 0.75 s apart. */
const referenceWindows = [2, 4, 6, 10];

export async function run(): Promise<Benchmark> {
  const directory = join(import.meta.dirname, '..', 'data', 'models', 'vosk-spk');
  const embedder = await openXVectorEmbedder(directory);
  const people = [
    ...(await readers(embedder)),
    ...(await languages(embedder)),
    ...(await meetings(embedder)),
  ];
  return {
    title: `Known voices: ${people.length} people, cosine ${cosineMinSamePerson}`,
    rows: referenceWindows.map((count) => rowOf(people, count)),
  };
}

/** One person: the embeddings of what is said, in order of time. */
type Person = Embedding[];

function rowOf(people: readonly Person[], count: number): BenchmarkRow {
  const same: number[] = [];
  const other: number[] = [];
  for (const person of people) {
    if (person.length < count + 4) continue;
    for (const from of [0, person.length - count]) {
      const reference = centroid(person.slice(from, from + count));
      // A window beside the reference shares half of its sound.
      const rest = person.filter((_, index) => index < from - 1 || index > from + count);
      same.push(dot(reference, centroid(rest)));
      other.push(...people.filter((one) => one !== person).map((one) => dot(reference, centroid(one))));
    }
  }
  const share = (found: number[], all: number[]) =>
    `${((100 * found.length) / all.length).toFixed(1)} % of ${all.length}`;
  const missed = same.filter((cosine) => cosine < cosineMinSamePerson);
  const taken = other.filter((cosine) => cosine >= cosineMinSamePerson);
  return {
    figure: `reference of ${(0.75 * (count + 1)).toFixed(1)} s: missed, another taken`,
    value: `${share(missed, same)}, ${share(taken, other)}`,
  };
}

function centroid(embeddings: readonly Embedding[]): Embedding {
  return unitLength(meanVector(embeddings.map((embedding) => unitLength(Float32Array.from(embedding)))));
}

async function readers(embedder: SpeakerEmbedder): Promise<Person[]> {
  return await Promise.all(
    humanVoices().map(async ({ utterances }) =>
      (await Promise.all(utterances.map(({ samples }) => embedded(embedder, samples)))).flat(),
    ),
  );
}

async function languages(embedder: SpeakerEmbedder): Promise<Person[]> {
  const directory = sharedDirectory('languages');
  if (!directory) return [];
  const files = readdirSync(directory).filter((name) => name.endsWith('.flac'));
  return await Promise.all(
    files.map((name) => embedded(embedder, floatSamples(decoded(join(directory, name))))),
  );
}

interface Said {
  file: string;
  who: string;
  start: number;
  end: number;
}

/** Where nobody else speaks. People of different recordings count as different ones, although some may be the same. */
async function meetings(embedder: SpeakerEmbedder): Promise<Person[]> {
  const directory = sharedDirectory('speakers');
  if (!directory) return [];
  const lines = readFileSync(join(directory, 'turns.rttm'), 'utf8').trim().split('\n');
  const said = lines.map((line): Said => {
    const [, file = '', , start = '', duration = '', , , name = ''] = line.split(/\s+/);
    return {
      file: basename(file, '.flac'),
      who: `${file} ${name}`,
      start: Number(start),
      end: Number(start) + Number(duration),
    };
  });
  const byPerson = [...Map.groupBy(said, ({ who }) => who).values()];
  return await Promise.all(
    byPerson.map((own) => {
      const samples = floatSamples(decoded(join(directory, `${own[0]?.file}.flac`)));
      return embedded(
        embedder,
        samples,
        own.flatMap((one) => alone(one, said)),
      );
    }),
  );
}

function alone(own: Said, said: readonly Said[]): SpeechSpan[] {
  let parts = [{ start: own.start, end: own.end }];
  for (const other of said) {
    if (other.file !== own.file || other.who === own.who) continue;
    parts = parts.flatMap(({ start, end }) => [
      { start, end: Math.min(end, other.start) },
      { start: Math.max(start, other.end), end },
    ]);
    parts = parts.filter(({ start, end }) => end - start > 0.5);
  }
  return parts.map(({ start, end }) => ({
    startSample: Math.round(start * sampleRate),
    endSample: Math.round(end * sampleRate),
  }));
}

async function embedded(
  embedder: SpeakerEmbedder,
  samples: Float32Array,
  spans: readonly SpeechSpan[] = [{ startSample: 0, endSample: samples.length }],
): Promise<Person> {
  const inside = spans.map((span) => ({ ...span, endSample: Math.min(span.endSample, samples.length) }));
  return await embedder.embed(samples, speakerWindows(inside));
}
