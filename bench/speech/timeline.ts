/** Where speech begins and ends, against the original timeline: each clip at offsets that lie differently on the windows of voice activity. */

import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import { findSpeech } from '../../src/speech/voice/find-speech.ts';
import { withExactEdges } from '../../src/speech/voice/span-edges.ts';
import { VoiceActivity } from '../../src/speech/voice/voice-activity.ts';
import { type Chunk, chunkPlan } from '../../src/timeline/chunk-plan.ts';
import { fullScale, int16Samples } from '../../src/timeline/pcm-samples.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import type { BenchmarkRow } from '../run.ts';
import { decoded } from './decoded.ts';
import type { Recording } from './recordings.ts';

const models = join(import.meta.dirname, '..', '..', 'data', 'models');
const offsets = 8;
/** An eighth of a window and a little more, so that no offset lies on the grid of another. */
const stepSamples = 67;
const leadSamples = 3 * sampleRate;
const trailSamples = 2 * sampleRate;
const barMs = 20;

interface Edges {
  begins: number[];
  ends: number[];
}

export async function timeline(clips: readonly Recording[]): Promise<BenchmarkRow[]> {
  const voice = await VoiceActivity.load(join(models, 'silero-vad', 'silero_vad.onnx'));
  const found: Edges[] = [];
  for (const { file } of clips) {
    const edges = await edgesOf(voice, int16Samples(decoded(file)));
    found.push(edges);
    const apart = `begins ${spreadMs(edges.begins).toFixed(1)} ms apart, ends ${spreadMs(edges.ends).toFixed(1)} ms`;
    console.error(`${basename(file)}: ${apart}`);
  }
  return (['begins', 'ends'] as const).map((side) => {
    const worst = Math.max(...found.map((edges) => spreadMs(edges[side])));
    return {
      figure: `${side} of speech against the original timeline, ${clips.length} clips at ${offsets} offsets`,
      value: `at most ${worst.toFixed(1)} ms apart`,
      bar: `at most ${barMs} ms`,
      passed: worst <= barMs,
    };
  });
}

async function edgesOf(voice: VoiceActivity, clip: Int16Array): Promise<Edges> {
  const edges: Edges = { begins: [], ends: [] };
  for (let offset = 0; offset < offsets; offset++) {
    const lead = leadSamples + offset * stepSamples;
    const recording = room(lead + clip.length + trailSamples);
    recording.set(clip, lead);
    const bytes = new Uint8Array(recording.buffer);
    const { spans, totalSamples } = await findSpeech(Readable.from([bytes]), {
      detect: (block) => voice.detect(block),
      blocksAtOnce: 1,
    });
    const utterances = chunkPlan(spans, totalSamples).flatMap((chunk) => exact(chunk, recording));
    edges.begins.push((utterances[0]?.startSample ?? Number.NaN) - lead);
    edges.ends.push((utterances.at(-1)?.endSample ?? Number.NaN) - lead);
  }
  return edges;
}

function exact(chunk: Chunk, recording: Int16Array) {
  const samples = recording.subarray(chunk.startSample, chunk.endSample);
  return withExactEdges(
    chunk.utterances,
    chunk,
    Float32Array.from(samples, (value) => value / fullScale),
  );
}

/** No recording is ever quite silent. */
function room(samples: number): Int16Array {
  let state = 1;
  return Int16Array.from({ length: samples }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.round((state / 2 ** 31 - 0.5) * 6);
  });
}

function spreadMs(samples: readonly number[]): number {
  return ((Math.max(...samples) - Math.min(...samples)) * 1000) / sampleRate;
}
