import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CurrentSegment } from './edition.ts';
import { linesAtEnd } from './lines-at-end.ts';

const line = (id: string, from: number, to: number, more: Partial<CurrentSegment> = {}): CurrentSegment => ({
  id,
  revision: 1,
  startMs: from * 1000,
  endMs: to * 1000,
  text: id,
  speaker: null,
  isDeleted: false,
  ...more,
});
const shown = (lines: ReturnType<typeof linesAtEnd>) =>
  lines.map(({ id, text, speaker, isDeleted }) => (isDeleted ? `-${id}` : `${id} ${text} ${speaker ?? '?'}`));

test('a transcript that ends as it was read only gets its last lines', () => {
  const standing = [line('m0', 0, 4), line('m1', 4, 9, { revision: 3, text: 'mended' })];
  const machine = [line('m0', 0, 4), line('m1', 4, 9), line('m2', 9, 12)];
  assert.deepEqual(shown(linesAtEnd(standing, machine)), ['m2 m2 ?']);
});

test('what was deleted, split or joined meanwhile does not come back', () => {
  const changed = { revision: 2 };
  const standing = [
    line('m0', 0, 4, { ...changed, isDeleted: true }),
    line('m1', 4, 6, { ...changed, text: 'first half' }),
    line('new', 6, 9, { ...changed, text: 'second half' }),
    line('m2', 9, 15, { ...changed, text: 'two in one' }),
    line('m3', 12, 15, { ...changed, isDeleted: true }),
  ];
  const machine = [line('m0', 0, 4), line('m1', 4, 9), line('m2', 9, 12), line('m3', 12, 15)];
  assert.deepEqual(linesAtEnd(standing, machine), []);
});

test('with speakers the lines are others: edited ones stay and learn who speaks, the rest is replaced', () => {
  const standing = [
    line('m0', 0, 10),
    line('m1', 10, 20, { revision: 2, text: 'mended' }),
    line('m2', 20, 30),
  ];
  const machine = [
    line('m0', 0, 6, { speaker: '0' }),
    line('m1', 6, 11, { speaker: '1' }),
    line('m2', 11, 20, { speaker: '0' }),
    line('m3', 20, 30, { speaker: '1' }),
  ];
  assert.deepEqual(shown(linesAtEnd(standing, machine)), [
    'm0 m0 0',
    'm1-end m1 1',
    'm3 m3 1',
    '-m2',
    'm1 mended 0',
  ]);
});
