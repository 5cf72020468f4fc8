/** Our whole job beside other programs on the same audio and as many threads, on clean speech and in bad rooms. */
import { join } from 'node:path';
import type { BenchmarkRow } from '../run.ts';
import { atLeast, atMost, median } from '../stage/figures.ts';
import type { Measured } from '../stage/measured-command.ts';
import { longRecording } from './material.ts';
import { noisyRecordings } from './noisy-recordings.ts';
import { type Peer, vosk, whisperCpp } from './peer-programs.ts';
import type { Recording } from './recordings.ts';
import { type SpeechStage, transcribed } from './stage.ts';
import { percent, type WordErrors, wordErrors } from './word-error-rate.ts';

const workers = 2;

/** In turn: ours with its database and decoding, theirs on a WAV file that needs none. */
export async function peers(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const { peerMinutes, rounds } = stage.settings;
  const recording = longRecording(stage.clips, peerMinutes, join(stage.directory, 'peers.wav'));
  const others = [...whispersOf(stage), ...vosk(placeOf(stage), stage.settings.voskModel)];
  const own: Measured[] = [];
  const theirs = others.map(() => [] as Measured[]);
  for (let turn = 0; turn < rounds; turn++) {
    own.push(await transcribed(stage, recording.file, workers));
    for (const [i, peer] of others.entries()) theirs[i]?.push(await peer.run(recording.file));
  }
  const seconds = (runs: readonly Measured[]) => median(runs.map((one) => one.wallSeconds));
  const ownErrors = percent(wordErrors(recording.text, own[0]?.output ?? ''));
  const rows: BenchmarkRow[] = [
    { figure: `whole job of ${peerMinutes} min, two workers`, value: `${seconds(own).toFixed(1)} s` },
  ];
  for (const [i, peer] of others.entries()) {
    const runs = theirs[i] ?? [];
    const errors = percent(wordErrors(recording.text, runs[0]?.output ?? ''));
    rows.push(
      { figure: `${peer.name} on the same, two threads`, value: `${seconds(runs).toFixed(1)} s` },
      atLeast(`speed against ${peer.name}`, seconds(runs) / seconds(own), peer.timesFaster, ' ×'),
      atMost(`word error rate against ${peer.name}`, ownErrors, errors, ' %'),
    );
  }
  return rows;
}

/** One minute of each kind; all of them together have to be as good as the best peer's. */
export async function noise(stage: SpeechStage): Promise<BenchmarkRow[]> {
  const clean = longRecording(stage.clips, 1, join(stage.directory, 'quiet.wav'));
  const [, beamed] = whispersOf(stage);
  if (!beamed) throw new Error('there is no peer');
  const rows: BenchmarkRow[] = [];
  const total = { own: noErrors(), theirs: noErrors() };
  for (const recording of noisyRecordings(clean, stage.clips, stage.directory)) {
    const own = await errorsOf(recording, (file) => transcribed(stage, file, workers));
    const theirs = await errorsOf(recording, beamed.run);
    add(total.own, own);
    add(total.theirs, theirs);
    rows.push({
      figure: `word error rate, ${recording.name}, beside ${beamed.name}`,
      value: `${percent(own).toFixed(1)} against ${percent(theirs).toFixed(1)} %`,
    });
  }
  return [
    ...rows,
    atMost(`all of these against ${beamed.name}`, percent(total.own), percent(total.theirs), ' %'),
  ];
}

function placeOf({ settings, directory, environment }: SpeechStage) {
  return { directory: settings.peerDirectory ?? directory, environment };
}

function whispersOf(stage: SpeechStage): Peer[] {
  const whisperBase = join(stage.directory, 'models', 'whisper-base');
  return whisperCpp(placeOf(stage), stage.settings.whisperCppModel, whisperBase);
}

async function errorsOf(
  { file, text }: Recording,
  run: (file: string) => Promise<Measured>,
): Promise<WordErrors> {
  return wordErrors(text, (await run(file)).output);
}

function noErrors(): WordErrors {
  return { referenceWords: 0, wrongWords: 0 };
}

function add(sum: WordErrors, one: WordErrors): void {
  sum.referenceWords += one.referenceWords;
  sum.wrongWords += one.wrongWords;
}
