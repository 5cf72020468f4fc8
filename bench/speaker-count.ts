/**
 * `npm run bench -- speaker-count [COUNT]`: how many people are found in short conversations. Every second voice belongs
 * to the half on which numbers were chosen, the others to the half that was only looked at.
 */
import { join } from 'node:path';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { shortUtterances } from './speaker/dialogue.ts';
import {
  type DiarizationError,
  diarizationError,
  errorRate,
  summedError,
} from './speaker/diarization-error.ts';
import { shortConversation } from './speaker/short-conversations.ts';
import { labelled, openSpeakerPipeline, type SpeakerPipeline } from './speaker/speaker-pipeline.ts';
import { humanVoices, synthesizedVoices, type Voice } from './speaker/voices.ts';

const conversationsUsual = 36;
const halves = ['voices that numbers were chosen on', 'held-out voices'];

async function countRow(
  pipeline: SpeakerPipeline,
  voices: readonly Voice[],
  half: number,
  conversations: number,
): Promise<BenchmarkRow> {
  const errors: DiarizationError[] = [];
  const found = { exact: 0, few: 0, many: 0 };
  for (let i = 0; i < conversations; i += 1) {
    const { samples, turns, speakerCount } = shortConversation(voices, 9000 + 1000 * half + i);
    const guessed = labelled(await pipeline.turns(samples));
    const count = new Set(guessed.map((turn) => turn.speaker)).size;
    found[count === speakerCount ? 'exact' : count < speakerCount ? 'few' : 'many'] += 1;
    errors.push(diarizationError(turns, guessed, { collarSeconds: 0.25 }));
  }
  const error = `${(100 * errorRate(summedError(errors))).toFixed(1)} %`;
  return {
    figure: `${halves[half]}: ${voices.map(({ name }) => name).join(', ')}`,
    value: `exact ${found.exact} of ${conversations}, too few ${found.few}, too many ${found.many}; error ${error}`,
  };
}

export async function run(args: string[]): Promise<Benchmark> {
  const dataDirectory = process.env.LONGHAND_DATA_DIR ?? join(import.meta.dirname, '../data');
  const pipeline = await openSpeakerPipeline(join(dataDirectory, 'models'));
  const voices = [...humanVoices(), ...synthesizedVoices()]
    .map((voice) => ({ ...voice, utterances: voice.utterances.flatMap(shortUtterances) }))
    .filter((voice) => voice.utterances.length >= 2);
  const rows: BenchmarkRow[] = [];
  for (const half of halves.keys()) {
    const own = voices.filter((_, index) => index % 2 === half);
    rows.push(await countRow(pipeline, own, half, Number(args[0] ?? conversationsUsual)));
  }
  return { title: 'Speakers of conversations of 30 to 90 s between two to four people', rows };
}
