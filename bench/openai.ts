/** `npm run bench -- openai`: a recording of twenty minutes through OpenAI's own client, at once and as a stream. */
import { createReadStream, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { startService } from '../test/support/service.ts';
import { joinedRecording, recordings } from './recordings.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { percent, wordErrors } from './word-error-rate.ts';

const seconds = 1_200;
const apiKey = `lh_${'c'.repeat(36)}`;
const model = 'whisper-1';

export async function run(): Promise<Benchmark> {
  const directory = mkdtempSync(join(tmpdir(), 'longhand-bench-'));
  symlinkSync(join(import.meta.dirname, '..', 'data', 'models'), join(directory, 'models'));
  const { file, text } = joinedRecording(recordings(), seconds, join(directory, 'long.flac'));
  const service = await startService({
    PATH: process.env.PATH ?? '',
    LONGHAND_DATA_DIR: directory,
    LONGHAND_PORT: '0',
    LONGHAND_API_KEY: apiKey,
    LONGHAND_LOG_LEVEL: 'error',
  });
  try {
    const client = new OpenAI({ apiKey, baseURL: `${service.url}/v1`, maxRetries: 0 });
    const rows = [...(await wholeRows(client, file, text)), await streamRow(client, file)];
    return { title: "Twenty minutes through OpenAI's client", rows };
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function wholeRows(client: OpenAI, file: string, spoken: string): Promise<BenchmarkRow[]> {
  const ask = async () => {
    const startedMs = performance.now();
    const { text } = await client.audio.transcriptions.create({ file: createReadStream(file), model });
    return { text, tookSeconds: (performance.now() - startedMs) / 1000 };
  };
  const first = await ask();
  const errors = percent(wordErrors(spoken, first.text));
  const again = await ask();
  return [
    {
      figure: 'answer to a recording of 20 min',
      value: `${first.tookSeconds.toFixed(0)} s, word error rate ${errors.toFixed(2)} %`,
      bar: 'within 280 s',
      passed: first.tookSeconds < 280,
    },
    {
      figure: 'the same request again',
      value: `${again.tookSeconds.toFixed(1)} s, ${again.text === first.text ? 'the same text' : 'another text'}`,
      bar: 'the same text',
      passed: again.text === first.text,
    },
  ];
}

async function streamRow(client: OpenAI, file: string): Promise<BenchmarkRow> {
  const startedMs = performance.now();
  // Another language option makes it a job of its own.
  const wanted = { file: createReadStream(file), model, language: 'en', stream: true } as const;
  let firstSeconds: number | undefined;
  let joined = '';
  let whole = '';
  for await (const event of await client.audio.transcriptions.create(wanted)) {
    firstSeconds ??= (performance.now() - startedMs) / 1000;
    if (event.type === 'transcript.text.delta') joined += event.delta;
    if (event.type === 'transcript.text.done') whole = event.text;
  }
  const tookSeconds = (performance.now() - startedMs) / 1000;
  return {
    figure: 'stream of the same recording: first words, end',
    value: `${firstSeconds?.toFixed(1)} s, ${tookSeconds.toFixed(0)} s, ${joined === whole ? 'parts are the whole' : 'parts differ'}`,
    bar: 'parts are the whole',
    passed: joined === whole,
  };
}
