import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiverGate } from './receiver-gate.ts';

test('so many enter at once, the others in the order of their coming', async () => {
  const gate = new ReceiverGate(2);
  const entered: string[] = [];
  for (const name of ['first', 'second', 'third', 'fourth']) {
    void gate.enter('receiver', 0).then(() => entered.push(name));
  }
  assert.equal(await gate.enter('another receiver', 0), true);
  assert.deepEqual(entered, ['first', 'second']);
  gate.leave('receiver');
  await new Promise(setImmediate);
  assert.deepEqual(entered, ['first', 'second', 'third']);
});

test('those who wait can be sent away; those inside stay', async () => {
  const gate = new ReceiverGate(1);
  assert.equal(await gate.enter('a', 0), true);
  const waiting = [gate.enter('a', 0), gate.enter('a', 0)];
  const elsewhere = gate.enter('b', 0);
  gate.dismiss('a');
  assert.deepEqual(await Promise.all(waiting), [false, false]);
  assert.equal(await elsewhere, true);
  const next = gate.enter('a', 0);
  gate.leave('a');
  assert.equal(await next, true);
});

test('receivers whose waiting ones have waited too long are found', async () => {
  const gate = new ReceiverGate(1);
  await gate.enter('slow', 0);
  void gate.enter('slow', 100);
  await gate.enter('quick', 0);
  void gate.enter('quick', 400);
  assert.deepEqual(gate.stalledSince(99), []);
  assert.deepEqual(gate.stalledSince(100), ['slow']);
  gate.dismiss('slow');
  assert.deepEqual(gate.stalledSince(399), []);
});
