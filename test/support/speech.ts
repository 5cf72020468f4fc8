import { join } from 'node:path';
import { systemClock } from '../../src/platform/clock.ts';
import type { ChunkResult } from '../../src/speech/chunk-result.ts';
import { SpeechPool, type SpeechPoolOptions } from '../../src/speech/process/speech-pool.ts';
import type { Speech } from '../../src/speech/speech.ts';
import { type Chunk, chunkPlan } from '../../src/timeline/chunk-plan.ts';
import { inPieces } from './audio.ts';
import { type Hooks, onCleanup } from './cleanup.ts';
import { silentLogger } from './silent-logger.ts';

/** The models that ./setup has installed. */
export const modelsDirectory = join(import.meta.dirname, '..', '..', 'data', 'models');

export function speechPool(hooks: Hooks, options: Partial<SpeechPoolOptions> = {}): SpeechPool {
  const pool = new SpeechPool({
    processes: 1,
    modelsDirectory,
    logger: silentLogger,
    clock: systemClock,
    ...options,
  });
  onCleanup(hooks, () => pool.close());
  return pool;
}

export const patience = () => systemClock.timeout(120_000);

export function audioOf(samples: Buffer, chunk: Chunk): Buffer {
  return samples.subarray(chunk.startSample * 2, chunk.endSample * 2);
}

export async function chunksOf(speech: Speech, samples: Buffer): Promise<Chunk[]> {
  const { spans, totalSamples } = await speech.findSpeech(inPieces(samples), patience());
  return chunkPlan(spans, totalSamples);
}

/** Everything but the job around it. */
export async function heardIn(speech: Speech, samples: Buffer, engine = 'auto'): Promise<ChunkResult[]> {
  return recognised(speech, samples, await chunksOf(speech, samples), engine);
}

export async function recognised(
  speech: Speech,
  samples: Buffer,
  chunks: readonly Chunk[],
  engine: string,
): Promise<ChunkResult[]> {
  const options = { engine, language: null, speakers: false };
  const results: ChunkResult[] = [];
  for (const chunk of chunks) {
    results.push(await speech.recognise(audioOf(samples, chunk), chunk, options, patience()));
  }
  return results;
}
