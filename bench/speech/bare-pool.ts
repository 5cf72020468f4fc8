/**
 * The speech processes of the service and nothing around them. `plan PCM PLAN N` cuts at pauses, `cut PCM PLAN N` every
 * 15 s without voice activity; `recognise PCM PLAN N` is what is timed.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { systemClock } from '../../src/platform/clock.ts';
import { keepCompiledCode } from '../../src/platform/process/compile-cache.ts';
import { createLogger } from '../../src/platform/telemetry/telemetry.ts';
import { SpeechPool } from '../../src/speech/process/speech-pool.ts';
import { type Chunk, chunkPlan } from '../../src/timeline/chunk-plan.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';

keepCompiledCode();
const [step = '', pcmFile = '', planFile = '', processes = ''] = process.argv.slice(2);
const pool = new SpeechPool({
  processes: Number(processes),
  modelsDirectory: join(import.meta.dirname, '..', '..', 'data', 'models'),
  logger: createLogger({ level: 'error', pretty: false }),
  clock: systemClock,
});
const audio = readFileSync(pcmFile);
const { signal } = new AbortController();
if (step === 'plan') {
  const { spans, totalSamples } = await pool.findSpeech(Readable.from([audio]), signal);
  writeFileSync(planFile, JSON.stringify(chunkPlan(spans, totalSamples)));
} else if (step === 'cut') {
  writeFileSync(planFile, JSON.stringify(chunksOfSize(15 * sampleRate, audio.length / 2)));
} else {
  const options = { engine: 'moonshine', language: 'en', speakers: false };
  const audioOf = (chunk: Chunk) => audio.subarray(chunk.startSample * 2, chunk.endSample * 2);
  const chunks = JSON.parse(readFileSync(planFile, 'utf8')) as Chunk[];
  await Promise.all(chunks.map((chunk) => pool.recognise(audioOf(chunk), chunk, options, signal)));
}
await pool.close();

function chunksOfSize(size: number, totalSamples: number): Chunk[] {
  return Array.from({ length: Math.ceil(totalSamples / size) }, (_, index) => {
    const span = { startSample: index * size, endSample: Math.min(totalSamples, (index + 1) * size) };
    return { index, ...span, utterances: [{ ...span, spans: [span] }] };
  });
}
