/**
 * Where a voice really begins and ends. Voice activity looks at windows of 32 ms that lie anyhow on the voice, so the
 * edges of its spans are off by a window or two; the rise and fall of the sound itself tells them to a few milliseconds.
 */
import { type SpeechSpan, sampleRate, type Utterance } from './chunk-plan.ts';

const samplesOf = (milliseconds: number): number => Math.round((milliseconds * sampleRate) / 1000);

/** The loudness of a stretch of 8 ms, taken every 2 ms: long enough for a deep voice, short enough for an edge. */
const frameSamples = samplesOf(8);
const hopSamples = samplesOf(2);
const hopsPerFrame = frameSamples / hopSamples;
/** How far from where voice activity saw it an edge is looked for. */
const reachSamples = samplesOf(300);
/** A voice lasts; anything shorter is a click or a breath. */
const framesLasting = 15;
/** How much the sound of the room itself comes and goes. */
const roomDecibels = 10;
/** What is softer than this beside the voice is the room, even in a recording whose pauses are digital silence. */
const voiceDecibels = 28;
/** With less between them nothing stands out. */
const contrastDecibelsMin = 12;
const silenceDecibels = -90;

/** The utterances with the edges of their spans moved to the voice; `samples` are the audio of `extent`. */
export function withExactEdges<Spoken extends Utterance>(
  utterances: readonly Spoken[],
  extent: SpeechSpan,
  samples: Float32Array,
): Spoken[] {
  const levels = levelsOf(samples);
  const threshold = thresholdOf(levels);
  if (threshold === null) return [...utterances];
  const spans = utterances.flatMap((utterance) => utterance.spans);
  const moved = new Map<SpeechSpan, SpeechSpan>();
  let floor = extent.startSample;
  for (const [i, span] of spans.entries()) {
    const before = spans[i - 1];
    const next = spans[i + 1];
    const ceiling = next ? Math.floor((span.endSample + next.startSample) / 2) : extent.endSample;
    const voice = { levels, threshold, offset: extent.startSample, floor, ceiling };
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
  threshold: number;
  offset: number;
  floor: number;
  ceiling: number;
}

/** The first frame from outside, looking towards the voice (`direction`), from which on the sound lasts. */
function edge(
  { levels, threshold, offset, floor, ceiling }: Voice,
  around: number,
  direction: 1 | -1,
): number {
  const first = Math.ceil((Math.max(floor, around - reachSamples) - offset) / hopSamples);
  const last = Math.floor((Math.min(ceiling, around + reachSamples) - offset - frameSamples) / hopSamples);
  let lasting = 0;
  for (let step = 0; step <= last - first; step++) {
    const frame = direction === 1 ? first + step : last - step;
    lasting = (levels[frame] ?? silenceDecibels) >= threshold ? lasting + 1 : 0;
    if (lasting < framesLasting) continue;
    const rise = frame - direction * (framesLasting - 1);
    return offset + rise * hopSamples + frameSamples / 2;
  }
  return around;
}

/** Between hush and voice as they are in this chunk, or null where nothing stands out. */
function thresholdOf(levels: Float32Array): number | null {
  const sorted = levels.toSorted();
  const hush = sorted[Math.floor(sorted.length * 0.03)] ?? 0;
  const loud = sorted[Math.floor(sorted.length * 0.9)] ?? 0;
  if (loud - hush < contrastDecibelsMin) return null;
  return Math.max(hush + roomDecibels, loud - voiceDecibels);
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
