import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { Batch } from './batch.ts';

test('what comes while a batch is being written goes into one batch after it', async () => {
  const batches: (readonly number[])[] = [];
  const gates: (() => void)[] = [];
  const batch = new Batch<number>({
    async write(items) {
      batches.push(items);
      await new Promise<void>((resolve) => gates.push(resolve));
    },
  });
  const first = batch.add(1);
  await first.sent;
  const later = [2, 3, 4].map((item) => batch.add(item));
  assert.deepEqual(batches, [[1]]);
  gates.shift()?.();
  await first.written;
  await Promise.all(later.map(({ sent }) => sent));
  assert.deepEqual(batches, [[1], [2, 3, 4]]);
  gates.shift()?.();
  await Promise.all(later.map(({ written }) => written));
});

test('a batch that fails is told to those in it, and the next one is written', async () => {
  const batch = new Batch<string>({
    async write([item]) {
      if (item === 'bad') throw new Error('no');
    },
  });
  await assert.rejects(batch.add('bad').written, /no/);
  await batch.add('good').written;
});

test('items without haste wait for the moment to pass, or for one that has haste', async () => {
  const batches: (readonly string[])[] = [];
  const clock = new ManualClock();
  const batch = new Batch<string>({
    async write(items) {
      batches.push(items);
    },
    linger: (signal) => clock.sleep(10, signal).catch(() => {}),
  });
  const first = batch.add('first', { urgent: false });
  await clock.advance(9);
  const second = batch.add('second', { urgent: false });
  assert.deepEqual(batches, []);
  await clock.advance(1);
  await Promise.all([first.written, second.written]);
  assert.deepEqual(batches, [['first', 'second']]);
  const third = batch.add('third', { urgent: false });
  const urgent = batch.add('urgent');
  await Promise.all([third.written, urgent.written]);
  const last = batch.add('last', { urgent: false });
  batch.flush();
  await last.written;
  assert.deepEqual(batches.slice(1), [['third', 'urgent'], ['last']]);
});
