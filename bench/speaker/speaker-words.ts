/** Whole jobs with and without speakers, in speech processes: whose words are whose, and what it costs. */
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import type { ChunkResult } from '../../src/speech/chunk-result.ts';
import { SpeechPool } from '../../src/speech/process/speech-pool.ts';
import { unknownCount } from '../../src/speech/speaker/cluster/speaker-clusters.ts';
import { settledTurns } from '../../src/speech/speaker/turn/settled-turns.ts';
import type { Speech } from '../../src/speech/speech.ts';
import { chunkPlan } from '../../src/timeline/chunk-plan.ts';
import type { Segment } from '../../src/transcript/segment.ts';
import { transcript } from '../../src/transcript/transcript.ts';
import type { BenchmarkRow } from '../run.ts';
import { type Dialogue, dialogue } from './dialogue.ts';
import { pcm } from './speaker-pipeline.ts';
import { type SpokenText, speakerWordError } from './speaker-word-error.ts';
import type { Voice } from './voices.ts';

/** Whoever has enough different utterances: a sentence said twice in the same way would be a voice of its own. */
const casts = [
  ['librivox', 'sb_spk1', 'flite rms'],
  ['flite awb', 'librivox', 'flite slt', 'sb_spk1'],
  ['espeak en-us', 'librivox'],
];
const utterancesPerSpeaker = 4;
const utteranceSecondsMax = 13;
const rounds = 3;

function spokenDialogues(voices: readonly Voice[]): Dialogue[] {
  const known = voices.map((voice) => ({
    ...voice,
    utterances: voice.utterances.filter(
      ({ text, samples }) => text !== null && samples.length < utteranceSecondsMax * 16_000,
    ),
  }));
  return casts.flatMap((names, index) => {
    const cast = names.flatMap(
      (name) => known.find((voice) => voice.name === name && voice.utterances.length > 0) ?? [],
    );
    return cast.length < 2
      ? []
      : [dialogue(names.join(' and '), cast, cast.length * utterancesPerSpeaker, 300 + index)];
  });
}

interface Job {
  segments: Segment[];
  seconds: number;
}

async function job(speech: Speech, made: Dialogue, speakers: boolean): Promise<Job> {
  const signal = new AbortController().signal;
  const bytes = pcm(made.samples);
  const startedAt = performance.now();
  const found = await speech.findSpeech(pieces(bytes), signal);
  const results: ChunkResult[] = [];
  for (const chunk of chunkPlan(found.spans, found.totalSamples)) {
    const audio = bytes.subarray(chunk.startSample * 2, chunk.endSample * 2);
    results.push(
      await speech.recognise(audio, chunk, { engine: 'moonshine', language: 'en', speakers }, signal),
    );
  }
  const turns = speakers ? await turnsOf(speech, results, signal) : [];
  const { segments } = transcript(
    results.flatMap((result) => result.utterances),
    turns,
  );
  return { segments, seconds: (performance.now() - startedAt) / 1000 };
}

/** Other work on the machine only ever adds time. */
async function fastest(work: () => Promise<Job>): Promise<Job> {
  const jobs: Job[] = [];
  for (let round = 0; round < rounds; round += 1) jobs.push(await work());
  return jobs.reduce((best, one) => (one.seconds < best.seconds ? one : best));
}

async function turnsOf(speech: Speech, results: readonly ChunkResult[], signal: AbortSignal) {
  const windows = results.flatMap(({ speakers }) =>
    speakers && 'windows' in speakers ? speakers.windows : [],
  );
  const turns = await speech.joinSpeakers(
    { model: 'vosk-spk', overlapping: false, windows },
    unknownCount,
    signal,
  );
  return settledTurns(
    results.flatMap((result) => result.utterances),
    turns,
  );
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
}

const asTexts = (segments: readonly Segment[], merged: boolean): SpokenText[] =>
  segments.map(({ text, speaker }) => ({ speaker: merged ? 'all' : String(speaker), text }));

export async function spokenFigures(
  modelsDirectory: string,
  voices: readonly Voice[],
): Promise<BenchmarkRow[]> {
  const logger = createLogger({ level: 'warn', pretty: true });
  const speech = new SpeechPool({ processes: 1, modelsDirectory, logger, clock: systemClock, niceness: 0 });
  const sums = {
    words: 0,
    wrong: 0,
    wrongPlain: 0,
    wrongWithout: 0,
    secondsWith: 0,
    secondsWithout: 0,
    mixed: 0,
  };
  try {
    const made = spokenDialogues(voices);
    if (made[0]) await job(speech, made[0], true); // Loads the models.
    for (const one of made) {
      const without = await fastest(() => job(speech, one, false));
      const withSpeakers = await fastest(() => job(speech, one, true));
      const all = one.texts.map(({ text }) => ({ speaker: 'all', text }));
      const error = speakerWordError(one.texts, asTexts(withSpeakers.segments, false));
      sums.words += error.referenceWords;
      sums.wrong += error.wrongWords;
      sums.wrongPlain += speakerWordError(all, asTexts(withSpeakers.segments, true)).wrongWords;
      sums.wrongWithout += speakerWordError(all, asTexts(without.segments, true)).wrongWords;
      sums.secondsWith += withSpeakers.seconds;
      sums.secondsWithout += without.seconds;
    }
  } finally {
    await speech.close();
  }
  const share = (value: number) => `${((100 * value) / Math.max(1, sums.words)).toFixed(1)} %`;
  const added = sums.secondsWith / sums.secondsWithout - 1;
  return [
    {
      figure: `words to speakers, ${sums.words} words: concatenated-permutation word error`,
      value: share(sums.wrong),
    },
    {
      figure: 'the same words regardless of speaker, with and without the step',
      value: `${share(sums.wrongPlain)}, ${share(sums.wrongWithout)}`,
    },
    {
      figure: 'time added to a job',
      value: `${(100 * added).toFixed(1)} % (${sums.secondsWithout.toFixed(1)} → ${sums.secondsWith.toFixed(1)} s)`,
      bar: '≤ 20 %',
      passed: added <= 0.2,
    },
  ];
}
