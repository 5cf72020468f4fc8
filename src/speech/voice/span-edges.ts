/**
 * Where a voice really begins and ends. Voice activity has windows of 32 ms at arbitrary offsets to the voice, so the
 * edges of its spans are off by a window or two; the rise and fall of the level gives them to a few milliseconds.
 */

import { sampleRate } from '../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../timeline/span.ts';
import type { Utterance } from '../../timeline/utterance.ts';

const samplesOf = (milliseconds: number): number => Math.round((milliseconds * sampleRate) / 1000);

/** The loudness of a stretch of 8 ms, taken every 2 ms: long enough for a deep voice, short enough for an edge. */
const frameSamples = samplesOf(8);
const hopSamples = samplesOf(2);
const hopsPerFrame = frameSamples / hopSamples;
/** Over so many frames a level is averaged: a voice lasts and fades without haste, a click does neither. */
const smoothingFrames = 21;
/** How far outside of where voice activity saw it an edge is looked for, and how far inside. */
const framesOutwards = 150;
const framesInwards = 125;
/** Inside from an end: voice activity may go on after a voice has ended. */
const framesHeld = 300;
/** A rise or a fall is measured over this, on either side. */
const slopeFrames = 25;
/** The outermost that is nearly as steep as the steepest is the voice's own; all others lie between its words. */
const steepShare = 0.65;
/** A flatter slope is no edge. */
const slopeDecibelsMin = 6;
/** Quiet no longer than this is a plosive's closure inside a word. */
const closureFrames = 30;
/** How far the voice stands above the room at its edge, as a part of how far it does at its loudest. */
const edgeShare = 0.45;
/** What is softer than this beside the voice is the room, even in a recording whose pauses are digital silence. */
const voiceDecibels = 28;
const silenceDecibels = -90;
/** Before and after the stretch in which an edge is looked for. Beyond the audio is silence: where a recording is cut off, the cut is an edge. */
const framesAround = framesOutwards + slopeFrames;

/** The utterances with the edges of their spans moved to the voice; `samples` are the audio of `extent`. */
export function withExactEdges<Spoken extends Utterance>(
  utterances: readonly Spoken[],
  extent: SpeechSpan,
  samples: Float32Array,
): Spoken[] {
  const levels = levelsOf(samples);
  const spans = utterances.flatMap((utterance) => utterance.spans);
  const moved = new Map<SpeechSpan, SpeechSpan>();
  let floor = extent.startSample;
  for (const [i, span] of spans.entries()) {
    const before = spans[i - 1];
    const next = spans[i + 1];
    const ceiling = next ? Math.floor((span.endSample + next.startSample) / 2) : extent.endSample;
    const voice = { levels, offset: extent.startSample, floor, ceiling };
    // Where a span was cut without a pause, the cut is the edge.
    const startSample =
      before?.endSample === span.startSample ? span.startSample : edge(voice, span.startSample, 1);
    const endSample = next?.startSample === span.endSample ? span.endSample : edge(voice, span.endSample, -1);
    moved.set(span, startSample < endSample ? { startSample, endSample } : span);
    floor = ceiling;
  }
  return utterances.map((utterance) => movedUtterance(utterance, moved));
}

function movedUtterance<Spoken extends Utterance>(
  utterance: Spoken,
  moved: ReadonlyMap<SpeechSpan, SpeechSpan>,
): Spoken {
  const spans = utterance.spans.map((span) => moved.get(span) ?? span);
  const startSample = spans[0]?.startSample ?? utterance.startSample;
  const endSample = spans.at(-1)?.endSample ?? utterance.endSample;
  return { ...utterance, startSample, endSample, spans };
}

interface Voice {
  /** Of the frames that begin every `hopSamples` from `offset` on, in decibels. */
  levels: Float32Array;
  offset: number;
  /** Between these the voice may begin or end. */
  floor: number;
  ceiling: number;
}

/**
 * Where the voice begins (`inwards` 1) or ends (-1). Voice activity only tells where to look; from there on all is
 * measured from the sound itself, so that it does not matter how the windows of voice activity lay.
 */
function edge({ levels, offset, floor, ceiling }: Voice, around: number, inwards: 1 | -1): number {
  const sampleOf = (frame: number) => offset + frame * hopSamples + frameSamples / 2;
  const seen = Math.round((around - offset - frameSamples / 2) / hopSamples);
  const outmost = seen - inwards * framesOutwards;
  const length = framesOutwards + (inwards === 1 ? framesInwards : framesHeld);
  // As if every edge were a beginning: from outside to inside, with what lies around it but not the neighbours' words.
  const raw = Float32Array.from({ length: length + 2 * framesAround }, (_, i) => {
    const frame = outmost + inwards * (i - framesAround);
    const isOwn = sampleOf(frame) >= floor && sampleOf(frame) <= ceiling;
    return isOwn ? (levels[frame] ?? silenceDecibels) : silenceDecibels;
  });
  const voice = Math.max(...raw.subarray(framesAround, framesAround + length));
  const path = smoothed(raw.map((level) => Math.max(level, voice - voiceDecibels)));
  const steep = steepFrame(path, framesAround, framesAround + length);
  if (steep === null) return around;
  const found = sampleOf(outmost + inwards * (firstLoudFrame(path, steep) - framesAround));
  return Math.min(ceiling, Math.max(floor, found));
}

/** The first of the path where the sound grows nearly as much as anywhere between `from` and `to`. */
function steepFrame(path: Float32Array, from: number, to: number): number | null {
  const growth = (frame: number) => (path[frame + slopeFrames] ?? 0) - (path[frame - slopeFrames] ?? 0);
  let most = 0;
  for (let frame = from; frame < to; frame++) most = Math.max(most, growth(frame));
  if (most < slopeDecibelsMin) return null;
  let frame = from;
  while (growth(frame) < steepShare * most) frame++;
  while (growth(frame + 1) > growth(frame)) frame++;
  return frame;
}

/** Back from a steep frame to the first one that belongs to the voice. */
function firstLoudFrame(path: Float32Array, steep: number): number {
  const voice = Math.max(...path.subarray(steep, steep + framesOutwards));
  const outside = path.subarray(steep - framesOutwards, steep - slopeFrames).toSorted();
  const room = outside[Math.floor(outside.length / 2)] ?? silenceDecibels;
  const isLoud = (frame: number) => (path[frame] ?? silenceDecibels) >= room + edgeShare * (voice - room);
  let first = steep;
  while (!isLoud(first) && first < steep + slopeFrames) first++;
  for (let frame = first; first - frame <= closureFrames; frame--) {
    if (isLoud(frame)) first = frame;
  }
  return first;
}

function levelsOf(samples: Float32Array): Float32Array {
  const hops = new Float64Array(Math.floor(samples.length / hopSamples));
  for (let hop = 0; hop < hops.length; hop++) {
    const from = hop * hopSamples;
    let sum = 0;
    for (let i = from; i < from + hopSamples; i++) sum += (samples[i] as number) ** 2;
    hops[hop] = sum;
  }
  const levels = new Float32Array(Math.max(0, hops.length - hopsPerFrame + 1));
  for (let frame = 0; frame < levels.length; frame++) {
    let sum = 0;
    for (let hop = frame; hop < frame + hopsPerFrame; hop++) sum += hops[hop] as number;
    levels[frame] = Math.max(silenceDecibels, 10 * Math.log10(sum / frameSamples + 1e-12));
  }
  return levels;
}

function smoothed(levels: Float32Array): Float32Array {
  const half = (smoothingFrames - 1) / 2;
  let sum = 0;
  for (let i = 0; i < Math.min(half, levels.length); i++) sum += levels[i] as number;
  return levels.map((_, frame) => {
    sum += (levels[frame + half] ?? 0) - (levels[frame - half - 1] ?? 0);
    return sum / (Math.min(frame + half, levels.length - 1) - Math.max(frame - half, 0) + 1);
  });
}
