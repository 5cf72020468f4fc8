/** `npm run bench -- speakers-long [HOURS]`: a made-up conversation of ten hours, as audio, through the parts that a job uses. */

import { join } from 'node:path';
import type { SpeakerEmbeddings } from '../src/speech/chunk-result.ts';
import { unknownCount } from '../src/speech/speaker/cluster/speaker-clusters.ts';
import { joinedSpeakers } from '../src/speech/speaker/joined-speakers.ts';
import { openXVectorListener } from '../src/speech/speaker/x-vector-listener.ts';
import { VoiceActivity } from '../src/speech/voice/voice-activity.ts';
import { chunkPlan } from '../src/timeline/chunk-plan.ts';
import { sampleRate } from '../src/timeline/sample-rate.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { type Dialogue, dialogue, shortUtterances } from './speaker/dialogue.ts';
import { diarizationError, errorRate, type LabelledTurn } from './speaker/diarization-error.ts';
import { labelled, spokenIn } from './speaker/speaker-pipeline.ts';
import { humanVoices, synthesizedVoices, type Voice } from './speaker/voices.ts';

const speakerCount = 4;
const turnsPerPart = 48;
const differentParts = 12;

function castOf(voices: readonly Voice[]): Voice[] {
  const cast = voices
    .map((voice) => ({ ...voice, utterances: voice.utterances.flatMap(shortUtterances) }))
    .filter((voice) => voice.utterances.length >= 5)
    .slice(0, speakerCount);
  if (cast.length < speakerCount)
    throw new Error('fewer than four voices with five utterances each are at hand');
  return cast;
}

/** Each part has its own order, equalisers, room and noise; the people stay the same. From the thirteenth on they repeat. */
function* parts(
  cast: readonly Voice[],
  seconds: number,
): Generator<{ part: Dialogue; offsetSeconds: number }> {
  const made: Dialogue[] = [];
  for (let offsetSeconds = 0, index = 0; offsetSeconds < seconds; index += 1) {
    const part = made[index % differentParts] ?? dialogue(`part ${index}`, cast, turnsPerPart, index);
    made[index % differentParts] = part;
    yield { part, offsetSeconds };
    offsetSeconds += part.samples.length / sampleRate;
  }
}

const shifted = (turns: readonly LabelledTurn[], seconds: number): LabelledTurn[] =>
  turns.map((turn) => ({
    ...turn,
    startSeconds: turn.startSeconds + seconds,
    endSeconds: turn.endSeconds + seconds,
  }));

const within = (turns: readonly LabelledTurn[], from: number, to: number): LabelledTurn[] =>
  turns.filter((turn) => turn.startSeconds >= from && turn.endSeconds <= to);

const mebibytes = () => Math.round(process.memoryUsage().rss / 2 ** 20);

export async function run(args: string[]): Promise<Benchmark> {
  const hours = Number(args[0] ?? 10);
  const models = join(process.env.LONGHAND_DATA_DIR ?? join(import.meta.dirname, '../data'), 'models');
  const activity = await VoiceActivity.load(join(models, 'silero-vad', 'silero_vad.onnx'));
  const listener = await openXVectorListener(join(models, 'vosk-spk'));
  const cast = castOf([...humanVoices(), ...synthesizedVoices()]);
  const evidence: SpeakerEmbeddings = { model: 'vosk-spk', overlapping: false, windows: [] };
  const reference: LabelledTurn[] = [];
  const memory: number[] = [];
  const startedAt = performance.now();
  let lengthSeconds = 0;
  for (const { part, offsetSeconds } of parts(cast, hours * 3600)) {
    const { spans, totalSamples } = await spokenIn(activity, part.samples);
    const offset = Math.round(offsetSeconds * sampleRate);
    for (const chunk of chunkPlan(spans, totalSamples)) {
      const windows = await listener.windows(part.samples.slice(chunk.startSample, chunk.endSample), chunk);
      for (const { startSample, endSample, voice } of windows) {
        evidence.windows.push({ startSample: startSample + offset, endSample: endSample + offset, voice });
      }
    }
    reference.push(...shifted(part.turns, offsetSeconds));
    lengthSeconds = offsetSeconds + part.samples.length / sampleRate;
    if (Math.floor(lengthSeconds / 3600) > memory.length) {
      memory.push(mebibytes());
      console.error(`${memory.length} h: ${memory.at(-1)} MiB`);
    }
  }
  const joinedAt = performance.now();
  const found = labelled(joinedSpeakers(evidence, unknownCount));
  return {
    title: `Speakers of ${hours} hours`,
    rows: rowsOf({ reference, found, memory, lengthSeconds, joinedAt, startedAt }),
  };
}

interface Outcome {
  reference: LabelledTurn[];
  found: LabelledTurn[];
  memory: number[];
  lengthSeconds: number;
  joinedAt: number;
  startedAt: number;
}

function rowsOf({ reference, found, memory, lengthSeconds, joinedAt, startedAt }: Outcome): BenchmarkRow[] {
  const collar = { collarSeconds: 0.25 };
  // Joined end to end, so that a person with another number at the end than at the start is an error.
  const edge = Math.min(1800, lengthSeconds / 3);
  const ends = (turns: readonly LabelledTurn[]) => [
    ...within(turns, 0, edge),
    ...within(turns, lengthSeconds - edge, lengthSeconds),
  ];
  const endsError = errorRate(diarizationError(ends(reference), ends(found), collar));
  const [first = mebibytes()] = memory;
  const growth = Math.max(...memory, first) - first;
  return [
    {
      figure: 'speakers found',
      value: `${new Set(found.map((turn) => turn.speaker)).size} of ${speakerCount}`,
    },
    {
      figure: 'error over the whole, collar 0.25 s',
      value: `${(100 * errorRate(diarizationError(reference, found, collar))).toFixed(1)} %`,
    },
    {
      figure: 'error of the first and the last half hour under one naming',
      value: `${(100 * endsError).toFixed(1)} %`,
      bar: '≤ 6 %',
      passed: endsError <= 0.06,
    },
    { figure: 'memory after each hour', value: `${memory.join(', ')} MiB` },
    {
      figure: 'growth after the first hour',
      value: `${growth} MiB`,
      bar: '≤ 150 MiB',
      passed: growth <= 150,
    },
    {
      figure: 'time to embed, of the length',
      value: ((joinedAt - startedAt) / 1000 / lengthSeconds).toFixed(4),
    },
    { figure: 'time to join', value: `${((performance.now() - joinedAt) / 1000).toFixed(1)} s` },
  ];
}
