import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Draft, type Pending } from './draft.ts';
import type { ServerLine } from './line.ts';

const line = (id: string, startMs: number, text: string, revision = 1, isDeleted = false): ServerLine => ({
  id,
  startMs,
  endMs: startMs + 900,
  text,
  speaker: '0',
  revision,
  isDeleted,
});
const start = () => new Draft([line('a', 0, 'one'), line('b', 1000, 'two'), line('c', 2000, 'three')]);
const texts = (draft: Draft) => draft.lines.map(({ text }) => text);

function type(draft: Draft, id: string, text: string, atMs = 0): void {
  const now = draft.line(id);
  assert.ok(now);
  draft.change([{ id, after: { ...now, text } }], { typingIn: id, atMs });
}

const stored = (draft: Draft): Pending[] => JSON.parse(JSON.stringify(draft.pending));

test('typing in a line is one step back, a pause begins another', () => {
  const draft = start();
  type(draft, 'a', 'o', 0);
  type(draft, 'a', 'on', 100);
  type(draft, 'a', 'once', 5_000);
  draft.undo();
  assert.equal(draft.line('a')?.text, 'on');
  draft.undo();
  assert.equal(draft.line('a')?.text, 'one');
  assert.deepEqual(draft.pending, []);
  draft.redo();
  draft.redo();
  assert.equal(draft.line('a')?.text, 'once');
});

test('lines that are added, moved and deleted stand in order of time, and come back', () => {
  const draft = start();
  const b = draft.line('b');
  assert.ok(b);
  draft.change(
    [
      { id: 'b', after: { ...b, endMs: 1400, text: 'tw' } },
      { id: 'n', after: { ...b, startMs: 1400, text: 'o' } },
      { id: 'c', after: null },
    ],
    { atMs: 0 },
  );
  assert.deepEqual(texts(draft), ['one', 'tw', 'o']);
  draft.undo();
  assert.deepEqual(texts(draft), ['one', 'two', 'three']);
});

test('what was typed while a save was under way is sent with the next', () => {
  const draft = start();
  type(draft, 'a', 'first');
  const sent = draft.toSend(500);
  type(draft, 'a', 'second', 10_000);
  draft.accepted(sent, [line('a', 0, 'first', 2)]);
  assert.equal(draft.line('a')?.text, 'second');
  assert.deepEqual(
    draft.toSend(500).map(({ base, mine }) => [base?.revision, mine?.text]),
    [[2, 'second']],
  );
});

test("another tab's change of another field is put together with ours", () => {
  const draft = start();
  type(draft, 'a', 'mine');
  draft.refused([{ id: 'a', line: { ...line('a', 0, 'one', 2), speaker: '1' } }]);
  assert.deepEqual(draft.conflicts, []);
  assert.deepEqual(
    draft.toSend(1).map(({ base, mine }) => [base?.revision, mine?.text, mine?.speaker]),
    [[2, 'mine', '1']],
  );
});

test('where both changed the text nothing is sent or lost until the person decides', () => {
  for (const [keep, expected, isPending] of [
    ['mine', 'mine', true],
    ['theirs', 'theirs', false],
    ['both', 'theirs mine', true],
  ] as const) {
    const draft = start();
    type(draft, 'a', 'mine');
    type(draft, 'b', 'other line');
    draft.refused([{ id: 'a', line: line('a', 0, 'theirs', 2) }]);
    assert.equal(draft.line('a')?.text, 'mine');
    assert.deepEqual(
      draft.toSend(9).map(({ id }) => id),
      ['b'],
    );
    draft.resolve('a', keep);
    assert.equal(draft.line('a')?.text, expected);
    assert.equal(
      draft.toSend(9).some(({ id, base }) => id === 'a' && base?.revision === 2),
      isPending,
    );
  }
});

test('a line that somebody deleted while it was edited comes back only when the person says so', () => {
  const draft = start();
  type(draft, 'a', 'mine');
  draft.received([line('a', 0, 'one', 2, true)]);
  assert.equal(draft.conflicts.length, 1);
  draft.resolve('a', 'theirs');
  assert.deepEqual(texts(draft), ['two', 'three']);
});

test('changes of others appear where nothing is being edited', () => {
  const draft = start();
  draft.received([line('b', 1000, 'zwei', 3), line('n', 1500, 'new', 3), line('c', 2000, 'three', 3, true)]);
  assert.deepEqual(texts(draft), ['one', 'zwei', 'new']);
  draft.received([line('b', 1000, 'late news', 2)]);
  assert.equal(draft.line('b')?.text, 'zwei');
});

test('after a crash the changes are there again, also those that somebody else answered meanwhile', () => {
  const before = start();
  type(before, 'a', 'mine');
  before.change([{ id: 'c', after: null }], { atMs: 0 });
  const after = new Draft([line('a', 0, 'theirs', 4), line('b', 1000, 'two'), line('c', 2000, 'three')]);
  after.restore(stored(before));
  assert.deepEqual(texts(after), ['mine', 'two']);
  assert.deepEqual(
    after.conflicts.map(({ id, theirs }) => [id, theirs?.text]),
    [['a', 'theirs']],
  );
  assert.deepEqual(
    after.toSend(9).map(({ id, mine }) => [id, mine]),
    [['c', null]],
  );
});

test('a save that arrived before the crash is not sent as a conflict', () => {
  const before = start();
  type(before, 'a', 'mine');
  const after = new Draft([line('a', 0, 'mine', 2), line('b', 1000, 'two'), line('c', 2000, 'three')]);
  after.restore(stored(before));
  assert.deepEqual([after.pending, after.conflicts], [[], []]);
});

test('ten thousand lines take a keystroke without being arranged anew', () => {
  const draft = new Draft(Array.from({ length: 10_000 }, (_, i) => line(`l${i}`, 1000 * i, `line ${i}`)));
  type(draft, 'l5000', 'changed');
  assert.equal(draft.lines[5000]?.text, 'changed');
  assert.equal(draft.indexOf('l9999'), 9999);
});

test('at the end of a live transcript its lines are the final ones, and an edit that was not sent yet is kept', () => {
  const draft = new Draft([]);
  const live = (id: string, startMs: number, text: string) => ({
    ...line(id, startMs, text, 0),
    speaker: null,
  });
  draft.received([live('a', 0, 'one'), live('b', 1000, 'two'), live('c', 2000, 'three')]);
  type(draft, 'b', 'second');
  draft.completed([line('a', 0, 'one'), line('b', 1000, 'two')]);
  assert.deepEqual(
    draft.lines.map(({ text, speaker }) => [text, speaker]),
    [
      ['one', '0'],
      ['second', '0'],
    ],
  );
  assert.deepEqual(
    draft.pending.map(({ id, base }) => [id, base?.revision]),
    [['b', 1]],
  );
});

test('an edit of a live line whose place has other words at the end is asked about', () => {
  const draft = new Draft([]);
  draft.received([line('a', 0, 'one', 0)]);
  type(draft, 'a', 'mine');
  draft.completed([line('a', 0, 'other words')]);
  assert.deepEqual(
    draft.conflicts.map(({ mine, theirs }) => [mine?.text, theirs?.text]),
    [['mine', 'other words']],
  );
});

test('edits of live lines left by an earlier visit wait for the lines', () => {
  const before = new Draft([]);
  before.received([line('a', 0, 'one', 0)]);
  type(before, 'a', 'mine');
  const draft = new Draft([]);
  draft.restore(stored(before));
  draft.received([line('a', 0, 'one', 0)]);
  assert.deepEqual([texts(draft), draft.conflicts.length, draft.toSend(9).length], [['mine'], 0, 1]);
});
