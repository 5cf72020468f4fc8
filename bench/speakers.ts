/** `npm run bench -- speakers`: who speaks when, and who says what, against known answers. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpeakerEmbeddings } from '../src/speech/chunk-result.ts';
import { unknownCount } from '../src/speech/speaker/cluster/speaker-clusters.ts';
import { joinedSpeakers } from '../src/speech/speaker/joined-speakers.ts';
import { unitLength } from '../src/speech/speaker/voiceprint/embedding.ts';
import { embeddingOf, embeddingText } from '../src/speech/speaker/voiceprint/embedding-text.ts';
import { openXVectorEmbedder } from '../src/speech/speaker/voiceprint/x-vector-embedder.ts';
import { floatSamples } from '../src/timeline/pcm-samples.ts';
import { sampleRate } from '../src/timeline/sample-rate.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { type Dialogue, dialogue, seededRandom, shortUtterances } from './speaker/dialogue.ts';
import {
  type DiarizationError,
  diarizationError,
  errorRate,
  type LabelledTurn,
  summedError,
} from './speaker/diarization-error.ts';
import { labelled, openSpeakerPipeline, type SpeakerPipeline } from './speaker/speaker-pipeline.ts';
import { spokenFigures } from './speaker/speaker-words.ts';
import { humanVoices, sharedDirectory, synthesizedVoices, type Voice } from './speaker/voices.ts';
import { embeddingByLoops } from './speaker/x-vector-by-loops.ts';
import { decoded } from './speech/decoded.ts';

const dialogueCount = 10;
const utterancesPerSpeaker = 6;
const percent = (value: number) => `${(100 * value).toFixed(1)} %`;

interface Scores {
  collar: DiarizationError[];
  none: DiarizationError[];
  withoutOverlap: DiarizationError[];
  countsRight: number;
}

function parts(error: DiarizationError): string {
  const share = (frames: number) => ((100 * frames) / Math.max(1, error.referenceFrames)).toFixed(1);
  return `miss ${share(error.missFrames)}, false alarm ${share(error.falseAlarmFrames)}, confusion ${share(error.confusionFrames)}`;
}

async function scores(
  pipeline: SpeakerPipeline,
  recordings: readonly { samples: Float32Array; turns: LabelledTurn[]; speakerCount: number }[],
): Promise<Scores> {
  const result: Scores = { collar: [], none: [], withoutOverlap: [], countsRight: 0 };
  for (const { samples, turns, speakerCount } of recordings) {
    const found = labelled(await pipeline.turns(samples));
    result.collar.push(diarizationError(turns, found, { collarSeconds: 0.25 }));
    result.none.push(diarizationError(turns, found, { collarSeconds: 0 }));
    result.withoutOverlap.push(diarizationError(turns, found, { collarSeconds: 0.25, withoutOverlap: true }));
    if (new Set(found.map((turn) => turn.speaker)).size === speakerCount) result.countsRight += 1;
  }
  return result;
}

function scoreRows(
  name: string,
  found: Scores,
  recordings: number,
  bars: { collar: number; none: number },
): BenchmarkRow[] {
  const collar = summedError(found.collar);
  const none = summedError(found.none);
  const row = (figure: string, error: DiarizationError, bar?: number): BenchmarkRow => ({
    figure: `${name}: ${figure}`,
    value: `${percent(errorRate(error))} (${parts(error)})`,
    ...(bar !== undefined && { bar: `≤ ${percent(bar)}`, passed: errorRate(error) <= bar }),
  });
  return [
    row('error, collar 0.25 s', collar, bars.collar),
    row('error, no collar', none, bars.none),
    row('error without overlapping speech, collar 0.25 s', summedError(found.withoutOverlap)),
    { figure: `${name}: number of speakers exact`, value: `${found.countsRight} of ${recordings}` },
  ];
}

/** Two to five people in turn, drawn at random; the same for the same seed. */
function madeDialogues(voices: readonly Voice[], seed: number): Dialogue[] {
  return Array.from({ length: dialogueCount }, (_, index) => {
    const random = seededRandom(1000 * seed + index);
    const pool = [...voices];
    const chosen = Array.from(
      { length: 2 + (index % 4) },
      () => pool.splice(Math.floor(random() * pool.length), 1)[0],
    ).filter((voice) => voice !== undefined);
    return dialogue(`dialogue ${index}`, chosen, chosen.length * utterancesPerSpeaker, 77 * seed + index);
  });
}

function meetings(): { samples: Float32Array; turns: LabelledTurn[]; speakerCount: number }[] {
  const directory = sharedDirectory('speakers');
  if (!directory) return [];
  const lines = readFileSync(join(directory, 'turns.rttm'), 'utf8').trim().split('\n');
  const byFile = Map.groupBy(
    lines.map((line) => line.split(/\s+/)),
    ([, file = '']) => file,
  );
  return [...byFile].map(([file, rows]) => {
    const turns = rows.map((row) => ({
      speaker: row[7] ?? '',
      startSeconds: Number(row[3]),
      endSeconds: Number(row[3]) + Number(row[4]),
    }));
    return {
      samples: floatSamples(decoded(join(directory, `${file}.flac`))),
      turns,
      speakerCount: new Set(turns.map((turn) => turn.speaker)).size,
    };
  });
}

async function crossCheck(directory: string, samples: Float32Array): Promise<BenchmarkRow> {
  const embedder = await openXVectorEmbedder(directory);
  const windows = [0.5, 2.25].map((start) => ({
    startSample: start * sampleRate,
    endSample: (start + 1.5) * sampleRate,
  }));
  const cut = samples.slice(0, 4 * sampleRate);
  const found = await embedder.embed(cut, windows);
  const cosines = windows.map(({ startSample, endSample }, index) => {
    const expected = embeddingByLoops(
      directory,
      cut,
      Math.round(startSample / 160),
      Math.round(endSample / 160),
    );
    return expected.reduce((sum, value, item) => sum + value * (found[index]?.[item] ?? 0), 0);
  });
  const least = Math.min(...cosines);
  return {
    figure: 'embeddings against plain loops in double precision, least cosine',
    value: least.toFixed(6),
    bar: '≥ 0.999',
    passed: least >= 0.999,
  };
}

/** A dialogue's evidence again and again for ten hours, each window a little different every time. */
function tenHours({ windows, ...evidence }: SpeakerEmbeddings, lengthSamples: number): SpeakerEmbeddings {
  const random = seededRandom(10);
  const rounds = Math.ceil((36_000 * sampleRate) / lengthSamples);
  const voices = windows.map((window) => embeddingOf(window.voice));
  const repeated: SpeakerEmbeddings['windows'] = [];
  for (let round = 0; round < rounds; round += 1) {
    windows.forEach(({ startSample, endSample }, index) => {
      const voice =
        voices[index]?.map((value) => value + 0.03 * (random() + random() - 1)) ?? new Float32Array();
      const offset = round * lengthSamples;
      repeated.push({
        startSample: startSample + offset,
        endSample: endSample + offset,
        voice: embeddingText(unitLength(voice)),
      });
    });
  }
  return { ...evidence, windows: repeated };
}

async function tenHourRows(pipeline: SpeakerPipeline, made: Dialogue): Promise<BenchmarkRow[]> {
  const evidence = await pipeline.evidence(made.samples, await pipeline.chunks(made.samples));
  const long = tenHours(evidence, made.samples.length);
  const memoryBefore = process.memoryUsage().rss;
  const startedAt = performance.now();
  const turns = labelled(joinedSpeakers(long, unknownCount));
  const seconds = (performance.now() - startedAt) / 1000;
  const memoryBytes = process.memoryUsage().rss - memoryBefore;
  const lengthSeconds = made.samples.length / sampleRate;
  const roundError = (round: number, pairedWith: readonly LabelledTurn[]) => {
    const inRound = turns
      .filter(
        (turn) =>
          turn.startSeconds >= round * lengthSeconds && turn.endSeconds <= (round + 1) * lengthSeconds,
      )
      .map((turn) => ({
        ...turn,
        startSeconds: turn.startSeconds - round * lengthSeconds,
        endSeconds: turn.endSeconds - round * lengthSeconds,
      }));
    return { inRound, error: errorRate(diarizationError(pairedWith, inRound, { collarSeconds: 0.25 })) };
  };
  const rounds = Math.floor(36_000 / lengthSeconds);
  // The start's own labels are the reference of the end: another name for a person at the end would be an error.
  const start = roundError(0, made.turns);
  const end = roundError(rounds - 1, start.inRound);
  const sameNames =
    new Set([...start.inRound, ...end.inRound].map((turn) => turn.speaker)).size === made.speakerCount;
  return [
    { figure: `ten hours, ${long.windows.length} windows: time to join`, value: `${seconds.toFixed(1)} s` },
    {
      figure: 'ten hours: memory added',
      value: `${Math.round(memoryBytes / 2 ** 20)} MiB`,
      bar: '≤ 300 MiB',
      passed: memoryBytes <= 300 * 2 ** 20,
    },
    {
      figure: 'ten hours: the end against the start',
      value: `${percent(end.error)} differ, ${sameNames ? 'the same speakers' : 'other speakers'}`,
      bar: 'the same',
      passed: sameNames && end.error < 0.02,
    },
  ];
}

export async function run(args: string[]): Promise<Benchmark> {
  const dataDirectory = process.env.LONGHAND_DATA_DIR ?? join(import.meta.dirname, '../data');
  const models = join(dataDirectory, 'models');
  const seed = Number(args[0] ?? 1);
  const pipeline = await openSpeakerPipeline(models);
  const all = [...humanVoices(), ...synthesizedVoices()];
  const voices = all
    .map((voice) => ({ ...voice, utterances: voice.utterances.flatMap(shortUtterances) }))
    .filter((voice) => voice.utterances.length >= 3);
  if (voices.length < 5)
    throw new Error(
      'fewer than five voices: install espeak-ng and flite, or put recordings in ../shared/audio',
    );
  const rows: BenchmarkRow[] = [{ figure: 'voices', value: voices.map((voice) => voice.name).join(', ') }];
  const made = madeDialogues(voices, seed);
  const dialogueScores = await scores(pipeline, made);
  rows.push(...scoreRows('dialogues', dialogueScores, made.length, { collar: 0.06, none: 0.1 }));
  Object.assign(rows.at(-1) ?? {}, { bar: '≥ 8 of 10', passed: dialogueScores.countsRight >= 8 });
  const real = meetings();
  if (real.length > 0)
    rows.push(
      ...scoreRows('meetings', await scores(pipeline, real), real.length, { collar: 0.25, none: 0.34 }),
    );
  rows.push(await crossCheck(join(models, 'vosk-spk'), made[0]?.samples ?? new Float32Array()));
  rows.push(...(await tenHourRows(pipeline, made[3] as Dialogue)));
  rows.push(...(await spokenFigures(models, all)));
  return { title: 'Speakers', rows };
}
