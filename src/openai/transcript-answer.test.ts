import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diarizedSegment } from './transcript-answer.ts';

const speakerOf = (speaker?: number | string) =>
  diarizedSegment({ start: 0, end: 1, text: 'Yes.', ...(speaker !== undefined && { speaker }) }, 0).speaker;

test('speakers are letters in the order in which they speak, and those who are known have their names', () => {
  assert.deepEqual([0, 1, 25, 26, 27, 52].map(speakerOf), ['A', 'B', 'Z', 'AA', 'AB', 'BA']);
  assert.equal(speakerOf('Anne'), 'Anne');
  assert.equal(speakerOf(), 'unknown');
});
