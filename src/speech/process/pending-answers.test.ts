import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PendingAnswers } from './pending-answers.ts';

const answer = (id: number, message: string) => ({ type: 'failed' as const, id, message, transient: true });

test('every request gets the answer with its id, in whatever order answers come', async () => {
  const pending = new PendingAnswers();
  const first = pending.of(1);
  const second = pending.of(2);
  pending.settle(answer(2, 'second'));
  pending.settle(answer(1, 'first'));
  assert.deepEqual(await Promise.all([first, second]), [answer(1, 'first'), answer(2, 'second')]);
});

test('a late or repeated answer is not taken for that of the next request', async () => {
  const pending = new PendingAnswers();
  const given = pending.of(1);
  pending.settle(answer(1, 'given'));
  const next = pending.of(2);
  pending.settle(answer(1, 'late'));
  pending.settle(answer(2, 'own'));
  assert.deepEqual([await given, await next], [answer(1, 'given'), answer(2, 'own')]);
});

test('when the process has ended, whoever waits is told, and no answer is expected any more', async () => {
  const pending = new PendingAnswers();
  const waiting = pending.of(1);
  pending.rejectAll(new Error('ended'));
  await assert.rejects(waiting, /ended/);
});
