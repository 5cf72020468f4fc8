import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SpeakerWindow } from '../chunk-result.ts';
import { namedTurns, voiceOf } from './named-turns.ts';
import { embeddingText } from './voiceprint/embedding-text.ts';

const second = 16_000;
const turn = (from: number, to: number, speaker: number) => ({
  startSample: from * second,
  endSample: to * second,
  speaker,
});
const window = (at: number, ...voice: number[]): SpeakerWindow => ({
  startSample: at * second,
  endSample: (at + 1) * second,
  voice: embeddingText(Float32Array.from(voice)),
});
const known = (name: string, ...voice: number[]) => ({
  name,
  model: 'm',
  voice: voiceOf([window(0, ...voice)]),
});

const turns = [turn(0, 4, 0), turn(4, 8, 1), turn(8, 10, 0)];
const windows = [window(0, 1, 0, 0), window(1, 0.9, 0.1, 0), window(5, 0, 1, 0), window(8, 1, 0.1, 0)];
const evidence = { model: 'm', overlapping: false, windows };

const speakersWith = (...voices: Parameters<typeof namedTurns>[2]) =>
  namedTurns(turns, evidence, voices).map(({ speaker }) => speaker);

test('a speaker whose voice is known gets the name in every turn, the others keep their numbers', () => {
  assert.deepEqual(speakersWith(known('Anne', 0, 1, 0)), [0, 'Anne', 0]);
  assert.deepEqual(speakersWith(known('Anne', 0, 1, 0), known('Mary', 1, 0, 0)), ['Mary', 'Anne', 'Mary']);
});

test('a voice that is not in the recording names nobody', () => {
  assert.deepEqual(speakersWith(known('Anne', 0, 0, 1)), [0, 1, 0]);
  assert.deepEqual(speakersWith(), [0, 1, 0]);
});

test('of two names for one voice the more similar one counts, and a name is given once', () => {
  assert.deepEqual(speakersWith(known('far', 0.8, 0.6, 0), known('near', 1, 0.05, 0)), [
    'near',
    'far',
    'near',
  ]);
  assert.deepEqual(speakersWith(known('far', 1, 0, 0.9), known('near', 1, 0.05, 0)), ['near', 1, 'near']);
});

test('voices of another model are not compared', () => {
  assert.deepEqual(speakersWith({ ...known('Anne', 0, 1, 0), model: 'other' }), [0, 1, 0]);
});
