/**
 * Which stretches of a recording are recognised together. Voice activity finds spans of speech; spans are joined
 * into utterances (the recognizer's input) and utterances into chunks (what one task recognises and
 * stores). Every cut lies in a pause; silence belongs to no chunk.
 */

import { sampleRate } from './sample-rate.ts';
import type { SpeechSpan } from './span.ts';
import type { Utterance } from './utterance.ts';

/** `startSample` to `endSample` is the audio that must be read to recognise the utterances, context included. */
export interface Chunk extends SpeechSpan {
  index: number;
  utterances: Utterance[];
}

const seconds = (value: number): number => Math.round(value * sampleRate);

/** Moonshine drops or hallucinates text beyond 15 to 20 s, and recognises better with context than single phrases. */
const utteranceSamplesMax = seconds(16);
const utteranceSamplesGood = seconds(8);
/** A pause of this length always ends an utterance: to read it costs time and tells the recognizer nothing. */
const pauseSamplesSplitting = seconds(1.5);
/** A pause from which a cut costs nothing; shorter ones may lie between two words of one breath. */
const pauseSamplesComfortable = seconds(0.6);
/** Whisper takes at most 30 s, so one chunk is one of its windows. */
const chunkSamplesMax = seconds(28);
/** Context on both sides of an utterance: onsets and endings that voice activity clips. */
const paddingSamples = seconds(0.2);
/** A chunk is read with more: the voice's own edge is looked for in it. */
const chunkPaddingSamples = seconds(0.4);

/** The chunks of a recording, or those that come after `last`, where a plan of its beginning was made before. */
export function chunkPlan(spans: readonly SpeechSpan[], totalSamples: number, last?: Chunk): Chunk[] {
  const plannedSamples = last?.utterances.at(-1)?.endSample ?? 0;
  const utterances = utterancesOf(spansFrom(spans, plannedSamples));
  const firstIndex = last ? last.index + 1 : 0;
  const chunks: Chunk[] = [];
  let current: Utterance[] = [];
  for (const utterance of utterances) {
    const first = current[0];
    if (first && utterance.endSample - first.startSample > chunkSamplesMax) {
      chunks.push(chunkOf(firstIndex + chunks.length, current));
      current = [];
    }
    current.push(utterance);
  }
  if (current.length > 0) chunks.push(chunkOf(firstIndex + chunks.length, current));
  padChunks(chunks, totalSamples, last);
  return chunks;
}

/** A border may have moved by a window when another machine finds the spans again: nothing is planned twice. */
function spansFrom(spans: readonly SpeechSpan[], fromSample: number): SpeechSpan[] {
  return spans
    .map((span) => ({ ...span, startSample: Math.max(span.startSample, fromSample) }))
    .filter((span) => span.endSample > span.startSample);
}

/** The stretch of audio to recognise for each utterance: its padding never reaches into a neighbour's words. */
export function paddedUtterances(chunk: Chunk): SpeechSpan[] {
  return contextLimits(chunk, chunk.utterances).map(({ startSample, endSample }, i) => {
    const utterance = chunk.utterances[i] ?? chunk;
    return {
      startSample: Math.max(startSample, utterance.startSample - paddingSamples),
      endSample: Math.min(endSample, utterance.endSample + paddingSamples),
    };
  });
}

/** How far the audio around each utterance may be taken for its context: to the middle of the pause to its neighbour. */
export function contextLimits(chunk: SpeechSpan, utterances: readonly SpeechSpan[]): SpeechSpan[] {
  return utterances.map((utterance, i) => {
    const before = utterances[i - 1];
    const after = utterances[i + 1];
    return {
      startSample: before ? middle(before.endSample, utterance.startSample) : chunk.startSample,
      endSample: after ? middle(utterance.endSample, after.startSample) : chunk.endSample,
    };
  });
}

function chunkOf(index: number, utterances: Utterance[]): Chunk {
  const startSample = utterances[0]?.startSample ?? 0;
  const endSample = utterances.at(-1)?.endSample ?? startSample;
  return { index, startSample, endSample, utterances };
}

function padChunks(chunks: Chunk[], totalSamples: number, last: Chunk | undefined): void {
  const speech = chunks.map(({ startSample, endSample }) => ({ startSample, endSample }));
  for (const [i, chunk] of chunks.entries()) {
    const before = i === 0 ? last?.utterances.at(-1) : speech[i - 1];
    const after = speech[i + 1];
    const floor = before ? middle(before.endSample, chunk.startSample) : 0;
    const ceiling = after ? middle(chunk.endSample, after.startSample) : totalSamples;
    chunk.startSample = Math.max(floor, chunk.startSample - chunkPaddingSamples);
    chunk.endSample = Math.max(chunk.endSample, Math.min(ceiling, chunk.endSample + chunkPaddingSamples));
  }
}

function utterancesOf(spans: readonly SpeechSpan[]): Utterance[] {
  const utterances: Utterance[] = [];
  let run: SpeechSpan[] = [];
  for (const span of spans) {
    const last = run.at(-1);
    if (last && span.startSample - last.endSample >= pauseSamplesSplitting) {
      utterances.push(...cheapestSplit(run));
      run = [];
    }
    run.push(span);
  }
  utterances.push(...cheapestSplit(run));
  return utterances;
}

/**
 * Splits a run of spans where the sum of costs is least: a cut costs more the shorter its pause is, an utterance
 * costs more the further it is below a good length. A single span longer than the limit stays whole here; the
 * voice activity has already cut it at its quietest window.
 */
function cheapestSplit(run: readonly SpeechSpan[]): Utterance[] {
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }];
  for (let end = 1; end <= run.length; end++) {
    let choice = { cost: Number.POSITIVE_INFINITY, from: end - 1 };
    for (let from = end - 1; from >= 0; from--) {
      const length = (run[end - 1]?.endSample ?? 0) - (run[from]?.startSample ?? 0);
      if (length > utteranceSamplesMax && from < end - 1) break;
      const cost = (best[from]?.cost ?? 0) + lengthCost(length) + cutCost(run, from);
      if (cost < choice.cost) choice = { cost, from };
    }
    best.push(choice);
  }
  const utterances: Utterance[] = [];
  for (let end = run.length; end > 0; ) {
    const from = best[end]?.from ?? 0;
    utterances.push(utteranceOf(run.slice(from, end)));
    end = from;
  }
  return utterances.reverse();
}

function utteranceOf(spans: SpeechSpan[]): Utterance {
  const startSample = spans[0]?.startSample ?? 0;
  const endSample = spans.at(-1)?.endSample ?? startSample;
  return { startSample, endSample, spans: spans.map((span) => ({ ...span })) };
}

function lengthCost(samples: number): number {
  return Math.max(0, 1 - samples / utteranceSamplesGood) + 0.05;
}

function cutCost(run: readonly SpeechSpan[], at: number): number {
  const before = run[at - 1];
  const after = run[at];
  if (!before || !after) return 0;
  const pause = after.startSample - before.endSample;
  // Of comfortable pauses the longest: were they all alike, a few milliseconds would decide where to cut.
  const preference = 0.3 * Math.max(0, 1 - pause / pauseSamplesSplitting);
  return 2 * Math.max(0, 1 - pause / pauseSamplesComfortable) + preference;
}

function middle(from: number, to: number): number {
  return Math.floor((from + to) / 2);
}
