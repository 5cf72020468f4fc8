import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiverGate } from './receiver-gate.ts';

test('so many enter at once, the others in the order of their coming', async () => {
  const gate = new ReceiverGate(2);
  const entered: string[] = [];
  for (const name of ['first', 'second', 'third', 'fourth']) {
    void gate.enter('receiver').then(() => entered.push(name));
  }
  assert.equal(await gate.enter('another receiver'), true);
  assert.deepEqual(entered, ['first', 'second']);
  gate.leave('receiver');
  await new Promise(setImmediate);
  assert.deepEqual(entered, ['first', 'second', 'third']);
});

test('those who wait can be sent away; those inside stay', async () => {
  const gate = new ReceiverGate(1);
  assert.equal(await gate.enter('a'), true);
  const waiting = [gate.enter('a'), gate.enter('a')];
  const elsewhere = gate.enter('b');
  gate.dismiss('a');
  assert.deepEqual(await Promise.all(waiting), [false, false]);
  assert.equal(await elsewhere, true);
  const next = gate.enter('a');
  gate.leave('a');
  assert.equal(await next, true);
});
