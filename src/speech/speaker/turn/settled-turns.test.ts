import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sampleRate } from '../../../timeline/sample-rate.ts';
import type { SpeechSpan } from '../../../timeline/span.ts';
import type { SpeakerTurn } from '../../../timeline/turn.ts';
import type { RecognisedUtterance } from '../../../timeline/utterance.ts';
import { transcript } from '../../../transcript/transcript.ts';
import { settledTurns } from './settled-turns.ts';
import { bridgedSpans, speakerWindows } from './speaker-windows.ts';

const span = (start: number, end: number): SpeechSpan => ({
  startSample: Math.round(start * sampleRate),
  endSample: Math.round(end * sampleRate),
});
const turn = (speaker: number, start: number, end: number): SpeakerTurn => ({ ...span(start, end), speaker });
const said = (text: string, start: number, end: number): RecognisedUtterance => ({
  ...span(start, end),
  spans: [span(start, end)],
  text,
  language: 'en',
});

test('speakers are numbered from 0 in the order in which they appear', () => {
  const utterances = [said('One.', 0, 3), said('Two.', 3, 6), said('Three.', 6, 9)];
  const turns = settledTurns(utterances, [turn(7, 0, 3), turn(2, 3, 6), turn(7, 6, 9)]);
  assert.deepEqual(
    turns.map(({ speaker }) => speaker),
    [0, 1, 0],
  );
});

test('a short interjection of another person does not break a sentence apart', () => {
  const utterances = [said('I went to the market and bought a very large melon.', 0, 6)];
  const turns = settledTurns(utterances, [turn(0, 0, 3), turn(1, 3, 3.5), turn(0, 3.5, 6)]);
  const { segments } = transcript(utterances, turns);
  assert.deepEqual(segments, [
    {
      start: 0,
      end: 6,
      text: 'I went to the market and bought a very large melon.',
      speaker: 0,
      language: 'en',
    },
  ]);
});

test('an utterance that two people share is cut where the turn changes', () => {
  const utterances = [said('How are you doing today? I am very well indeed.', 0, 6)];
  const turns = settledTurns(utterances, [turn(0, 0, 3), turn(1, 3, 6)]);
  const { segments } = transcript(utterances, turns);
  assert.deepEqual(
    segments.map(({ text, speaker }) => [speaker, text]),
    [
      [0, 'How are you doing today?'],
      [1, 'I am very well indeed.'],
    ],
  );
});

test('where two speak at once the turn that began first goes on, and settled turns never overlap', () => {
  const turns = settledTurns([said('Something long.', 0, 10)], [turn(0, 0, 6), turn(1, 4, 10)]);
  assert.deepEqual(turns, [turn(0, 0, 6), turn(1, 6, 10)]);
});

test('without turns there are no speakers', () => {
  assert.deepEqual(settledTurns([said('Alone.', 0, 2)], []), []);
});

test('breaths are bridged and every moment of speech lies in a window', () => {
  const bridged = bridgedSpans([span(1, 2), span(2.25, 5), span(7, 7.5)], span(0, 7.52));
  assert.deepEqual(bridged, [span(0.97, 5.03), span(6.97, 7.52)]);
  const windows = speakerWindows(bridged);
  assert.equal(windows[0]?.startSample, bridged[0]?.startSample);
  assert.equal(windows.at(-2)?.endSample, bridged[0]?.endSample);
  assert.deepEqual(windows.at(-1), bridged[1]);
  assert.ok(windows.every((window) => window.endSample - window.startSample <= 1.5 * sampleRate));
});
