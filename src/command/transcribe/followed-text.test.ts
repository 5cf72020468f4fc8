import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FollowedText } from './followed-text.ts';
import type { Recording } from './recordings.ts';

const named = (name: string): Recording => ({
  name,
  label: name,
  relativePath: name,
  media: { kind: 'stdin' },
});

test('one text is shown as it comes, without a title', () => {
  let shown = '';
  const followed = new FollowedText([named('a')], (text) => {
    shown += text;
  });
  followed.add(0, 'One');
  assert.equal(shown, 'One');
  followed.add(0, ' two.');
  followed.ended(0);
  assert.equal(shown, 'One two.\n');
});

test('several texts keep the order of their recordings, whoever is first', () => {
  let shown = '';
  const followed = new FollowedText(['a', 'b', 'c'].map(named), (text) => {
    shown += text;
  });
  followed.add(1, 'B1');
  followed.add(0, 'A1');
  assert.equal(shown, '==> a <==\nA1');
  followed.add(1, ' B2');
  followed.ended(1);
  followed.ended(0);
  assert.equal(shown, '==> a <==\nA1\n\n==> b <==\nB1 B2\n\n==> c <==\n');
  followed.ended(2);
  assert.match(shown, /==> c <==\n\n\n$/);
});
