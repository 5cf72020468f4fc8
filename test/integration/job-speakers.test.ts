import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { pino } from 'pino';
import type { ChunkResult, SpeakerEvidence } from '../../src/speech/chunk-result.ts';
import { SpeechPool } from '../../src/speech/process/speech-pool.ts';
import { embeddingText } from '../../src/speech/speaker/voiceprint/embedding-text.ts';
import { sampleRate } from '../../src/timeline/sample-rate.ts';
import { speakersOfJob } from '../../src/transcription/step/speakers.ts';
import { ManualClock } from '../support/manual-clock.ts';

const second = sampleRate;

function heard(model: string, startSecond: number, voice: number[]): SpeakerEvidence {
  const window = (at: number) => ({
    startSample: (startSecond + at) * second,
    endSample: (startSecond + at + 1.5) * second,
    voice: embeddingText(Float32Array.from(voice)),
  });
  return { model, overlapping: false, windows: [window(0), window(0.75), window(1.5)] };
}

function chunk(startSecond: number, speakers?: SpeakerEvidence): ChunkResult {
  const span = { startSample: startSecond * second, endSample: (startSecond + 3) * second };
  const utterance = { ...span, spans: [span], text: 'Some words.', language: 'en' };
  return { engine: 'moonshine-base', utterances: [utterance], ...(speakers && { speakers }) };
}

function world(context: TestContext, processes: number) {
  const lines: Record<string, unknown>[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const clock = new ManualClock();
  const speech = new SpeechPool({ processes, modelsDirectory: '/nonexistent', logger, clock });
  context.after(() => speech.close());
  return { deps: { speech, clock, logger }, clock, speech, lines };
}

const never = new AbortController().signal;

test('voices heard in different chunks are the same speaker at the end', async (context) => {
  const { deps, lines } = world(context, 1);
  const results = [
    chunk(0, heard('m', 0, [1, 0, 0])),
    chunk(4, heard('m', 4, [0, 1, 0])),
    chunk(8, heard('m', 8, [1, 0, 0])),
  ];
  const { turns, outcome } = await speakersOfJob(deps, 'job', results, null, never);
  assert.deepEqual(
    turns.map(({ startSample, speaker }) => [startSample / second, speaker]),
    [
      [0, 0],
      [4, 1],
      [8, 0],
    ],
  );
  assert.equal(outcome, 'found');
  assert.deepEqual(lines, []);
});

test('too little speech, an error and a time limit each give no turns, and the log says which it was', async (context) => {
  const results = [chunk(0, heard('m', 0, [1, 0, 0]))];
  const { deps, speech, lines } = world(context, 1);
  assert.deepEqual((await speakersOfJob(deps, 'job', [chunk(0)], null, never)).turns, []);
  await speech.close();
  assert.deepEqual(await speakersOfJob(deps, 'job', results, null, never), { turns: [], outcome: 'error' });
  // No process ever becomes free in a pool of none.
  const slow = world(context, 0);
  const waiting = speakersOfJob(slow.deps, 'job', results, null, never);
  await slow.clock.advance(121_000);
  assert.deepEqual(await waiting, { turns: [], outcome: 'time-limit' });
  assert.deepEqual(
    [...lines, ...slow.lines].map((line) => line.reason),
    ['too-little-speech', 'error', 'time-limit'],
  );
});

test('a worker that is told to stop does not complete the job without speakers', async (context) => {
  const { deps } = world(context, 0);
  const stop = new AbortController();
  const waiting = speakersOfJob(deps, 'job', [chunk(0, heard('m', 0, [1, 0]))], null, stop.signal);
  stop.abort(new Error('the service stops'));
  await assert.rejects(waiting, /the service stops/);
});
