/** `npm run bench -- openai`: a recording of twenty minutes through OpenAI's own client, at once and as a stream. */
import { createReadStream, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { startService, type TestService } from '../test/support/service.ts';
import type { Benchmark, BenchmarkRow } from './run.ts';
import { joinedRecording, recordings } from './speech/recordings.ts';
import { percent, wordErrors } from './speech/word-error-rate.ts';

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
    const rows = [
      await memoryRow(service),
      ...(await wholeRows(client, file, text)),
      await streamRow(client, file),
    ];
    return { title: "Twenty minutes through OpenAI's client", rows };
  } finally {
    await service.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const largeBytes = 1024 ** 3;

/** A form of a gibibyte that is no media: it is stored, looked at and refused. */
async function memoryRow({ url, process: { pid } }: TestService): Promise<BenchmarkRow> {
  const residentBytes = () => {
    const [, kilobytes = 0] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return 1024 * Number(kilobytes);
  };
  const beforeBytes = residentBytes();
  let mostBytes = beforeBytes;
  const sampling = setInterval(() => {
    mostBytes = Math.max(mostBytes, residentBytes());
  }, 50);
  const startedMs = performance.now();
  const response = await fetch(`${url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'multipart/form-data; boundary=b' },
    body: ReadableStream.from(largeForm()),
    duplex: 'half',
  } as RequestInit);
  clearInterval(sampling);
  const { error } = (await response.json()) as { error?: { code: string } };
  const moreMebibytes = (mostBytes - beforeBytes) / 1024 ** 2;
  return {
    figure: 'a form of 1 GiB goes to the local storage: time, memory of the service',
    value: `${((performance.now() - startedMs) / 1000).toFixed(1)} s, ${moreMebibytes.toFixed(0)} MiB more (${error?.code})`,
    bar: 'at most 150 MiB more',
    passed: moreMebibytes <= 150 && error?.code === 'unsupported_type',
  };
}

function* largeForm(): Generator<Uint8Array> {
  const piece = Buffer.alloc(64 * 1024, 7);
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="large.mp3"\r\n\r\n';
  yield Buffer.from(head);
  for (let sent = 0; sent < largeBytes; sent += piece.length) yield piece;
  yield Buffer.from('\r\n--b--\r\n');
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
