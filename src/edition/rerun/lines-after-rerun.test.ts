import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditionSegment } from '../edition.ts';
import { linesAfterRerun } from './lines-after-rerun.ts';

const line = (id: string, startMs: number, endMs: number, speaker: string | null = null): EditionSegment => ({
  id,
  revision: 1,
  startMs,
  endMs,
  text: id,
  speaker,
});
const short = ({ id, text, speaker, isDeleted }: ReturnType<typeof linesAfterRerun>[number]) =>
  [id, text, speaker, isDeleted] as const;

test('new lines take the place of the old ones by their ids; what is over is new or deleted', () => {
  const before = [line('m1', 0, 4000, 'a'), line('m2', 4000, 6000, 'b')];
  const more = [line('x-0', 0, 2000), line('x-1', 2000, 4100), line('x-2', 4100, 6000)];
  assert.deepEqual(linesAfterRerun(before, more).map(short), [
    ['m1', 'x-0', 'a', false],
    ['m2', 'x-1', 'a', false],
    ['x-2', 'x-2', 'b', false],
  ]);
  assert.deepEqual(linesAfterRerun(before, more.slice(2)).map(short), [
    ['m1', 'x-2', 'b', false],
    ['m2', 'm2', 'b', true],
  ]);
});

test('words in a pause are said by whoever spoke last', () => {
  const before = [line('m1', 0, 1000, 'a'), line('m2', 5000, 6000, 'b')];
  assert.deepEqual(
    linesAfterRerun(before, [line('x-0', 2000, 3000)])
      .map(short)
      .at(0),
    ['m1', 'x-0', 'a', false],
  );
});
