import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiverGate } from './receiver-gate.ts';

function gateOf(placesMax: number, window = placesMax): ReceiverGate {
  return new ReceiverGate({ placesMax, windowOf: () => window });
}

/** Its request has ended and its outcome is on its way. */
function done(gate: ReceiverGate, subscriptionId: string): void {
  gate.answered(subscriptionId);
  gate.leave(subscriptionId);
}

test('so many enter at once, the others in the order of their coming', async () => {
  const gate = gateOf(2);
  const entered: string[] = [];
  for (const name of ['first', 'second', 'third', 'fourth']) {
    void Promise.resolve(gate.enter('receiver', 0)).then(() => entered.push(name));
  }
  assert.equal(await gate.enter('another receiver', 0), true);
  assert.deepEqual(entered, ['first', 'second']);
  done(gate, 'receiver');
  await new Promise(setImmediate);
  assert.deepEqual(entered, ['first', 'second', 'third']);
});

test('an answered one keeps its part of the window until its outcome is on its way', async () => {
  const gate = gateOf(1, 2);
  const entered: number[] = [];
  for (const number of [1, 2, 3]) {
    void Promise.resolve(gate.enter('a', 0)).then(() => entered.push(number));
  }
  gate.answered('a');
  await new Promise(setImmediate);
  assert.deepEqual(entered, [1, 2]);
  gate.answered('a');
  await new Promise(setImmediate);
  assert.deepEqual(entered, [1, 2], 'two outcomes are not on their way yet');
  gate.leave('a');
  await new Promise(setImmediate);
  assert.deepEqual(entered, [1, 2, 3]);
});

test('outcomes may linger only where the window has room', async () => {
  const gate = gateOf(2, 8);
  for (let count = 0; count < 3; count += 1) {
    await gate.enter('a', 0);
    gate.answered('a');
  }
  assert.equal(gate.isTight('a'), false);
  await gate.enter('a', 0);
  assert.equal(gate.isTight('a'), true);
  const narrow = gateOf(2);
  await narrow.enter('a', 0);
  assert.equal(narrow.isTight('a'), true);
});

test('those who wait can be sent away; those inside stay', async () => {
  const gate = gateOf(1);
  assert.equal(await gate.enter('a', 0), true);
  const waiting = [gate.enter('a', 0), gate.enter('a', 0)];
  const elsewhere = gate.enter('b', 0);
  gate.dismiss('a');
  assert.deepEqual(await Promise.all(waiting), [false, false]);
  assert.equal(await elsewhere, true);
  const next = gate.enter('a', 0);
  done(gate, 'a');
  assert.equal(await next, true);
});

test('receivers whose waiting ones have waited too long are found', async () => {
  const gate = gateOf(1);
  await gate.enter('slow', 0);
  void gate.enter('slow', 100);
  await gate.enter('quick', 0);
  void gate.enter('quick', 400);
  assert.deepEqual(gate.stalledSince(99), []);
  assert.deepEqual(gate.stalledSince(100), ['slow']);
  gate.dismiss('slow');
  assert.deepEqual(gate.stalledSince(399), []);
});
