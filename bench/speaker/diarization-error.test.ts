import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cheapestAssignment } from './assignment.ts';
import { diarizationError, errorRate, type LabelledTurn, summedError } from './diarization-error.ts';
import { speakerWordError } from './speaker-word-error.ts';

const turn = (speaker: string, startSeconds: number, endSeconds: number): LabelledTurn => ({
  speaker,
  startSeconds,
  endSeconds,
});
const none = { collarSeconds: 0 };

test('the same turns under other names are free of error', () => {
  const reference = [turn('anna', 0, 4), turn('ben', 4, 6), turn('anna', 6, 7)];
  const hypothesis = [turn('1', 0, 4), turn('0', 4, 6), turn('1', 6, 7)];
  assert.equal(errorRate(diarizationError(reference, hypothesis, none)), 0);
});

test('miss, false alarm and confusion are told apart', () => {
  const reference = [turn('a', 0, 10), turn('b', 10, 20)];
  // a: 1 s missed; b: 2 s given to a; 3 s of nothing called b.
  const hypothesis = [turn('x', 1, 12), turn('y', 12, 23)];
  assert.deepEqual(diarizationError(reference, hypothesis, none), {
    referenceFrames: 2000,
    missFrames: 100,
    falseAlarmFrames: 300,
    confusionFrames: 200,
  });
});

test('speakers are paired so that most time agrees, not by order', () => {
  const reference = [turn('a', 0, 1), turn('b', 1, 9)];
  const hypothesis = [turn('x', 0, 2), turn('y', 2, 9)];
  assert.equal(diarizationError(reference, hypothesis, none).confusionFrames, 100);
});

test('a second speaker who is not found in overlapping speech is a miss', () => {
  const reference = [turn('a', 0, 10), turn('b', 5, 10)];
  const error = diarizationError(reference, [turn('x', 0, 10)], none);
  assert.deepEqual(error, {
    referenceFrames: 1500,
    missFrames: 500,
    falseAlarmFrames: 0,
    confusionFrames: 0,
  });
  assert.equal(
    errorRate(diarizationError(reference, [turn('x', 0, 10)], { ...none, withoutOverlap: true })),
    0,
  );
});

test('the collar forgives what is wrong near a reference boundary, on both sides of it', () => {
  const reference = [turn('a', 1, 5), turn('b', 5, 9)];
  const late = [turn('x', 1.2, 5.2), turn('y', 5.2, 9.2)];
  assert.equal(errorRate(diarizationError(reference, late, { collarSeconds: 0.25 })), 0);
  const error = diarizationError(reference, late, none);
  assert.deepEqual([error.missFrames, error.falseAlarmFrames, error.confusionFrames], [20, 20, 20]);
});

test('one speaker split in two costs the smaller part', () => {
  const error = diarizationError([turn('a', 0, 10)], [turn('x', 0, 7), turn('y', 7, 10)], none);
  assert.equal(error.confusionFrames, 300);
});

test('no hypothesis at all is all miss, and silence in both is no error', () => {
  assert.equal(errorRate(diarizationError([turn('a', 0, 3)], [], none)), 1);
  assert.equal(errorRate(diarizationError([], [], none)), 0);
});

test('recordings are added up by their speech, not averaged', () => {
  const long = diarizationError([turn('a', 0, 90)], [turn('x', 0, 90)], none);
  const short = diarizationError([turn('a', 0, 10)], [], none);
  assert.equal(errorRate(summedError([long, short])), 0.1);
});

test('the cheapest assignment beats the greedy one', () => {
  assert.deepEqual(
    cheapestAssignment([
      [1, 2],
      [2, 100],
    ]),
    [1, 0],
  );
  assert.deepEqual(cheapestAssignment([[5], [1]]), [-1, 0]);
});

test('a word given to the wrong person is wrong twice in the concatenated-permutation word error', () => {
  const reference = [
    { speaker: 'a', text: 'Good morning, Mr. Brown.' },
    { speaker: 'b', text: 'hello there' },
  ];
  const right = [
    { speaker: '1', text: 'hello there' },
    { speaker: '0', text: 'good morning mister brown' },
  ];
  assert.deepEqual(speakerWordError(reference, right), { referenceWords: 6, wrongWords: 0 });
  const moved = [
    { speaker: '0', text: 'good morning mister brown hello' },
    { speaker: '1', text: 'there' },
  ];
  assert.equal(speakerWordError(reference, moved).wrongWords, 2);
  const oneVoice = [{ speaker: '0', text: 'good morning mister brown hello there' }];
  assert.equal(speakerWordError(reference, oneVoice).wrongWords, 4);
});
