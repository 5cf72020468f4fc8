import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeliverySlots } from './delivery-slots.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `receiver ${index}`);

test('a receiver gets no more than its slots, however much is due', () => {
  const slots = new DeliverySlots({ totalMax: 100, perReceiverMax: 3 });
  slots.addDue(['a']);
  assert.deepEqual(slots.grants(), [{ subscriptionId: 'a', slots: 3 }]);
  assert.deepEqual(slots.grants(), [], 'until it is known that more is due');
  slots.addDue(['a']);
  for (let taken = 0; taken < 3; taken += 1) slots.take('a');
  assert.deepEqual(slots.grants(), []);
  slots.free('a');
  assert.deepEqual(slots.grants(), [{ subscriptionId: 'a', slots: 1 }]);
});

test('one slot each before anybody has a second, and turns when there are too few', () => {
  const slots = new DeliverySlots({ totalMax: 4, perReceiverMax: 3 });
  slots.addDue(ids(3));
  assert.deepEqual(
    slots.grants().map((grant) => grant.slots),
    [2, 1, 1],
  );
  const crowd = new DeliverySlots({ totalMax: 2, perReceiverMax: 3 });
  crowd.addDue(ids(4));
  const turns = [crowd.grants(), crowd.grants()].map((grants) => grants.map((grant) => grant.subscriptionId));
  assert.deepEqual(turns, [
    ['receiver 0', 'receiver 1'],
    ['receiver 2', 'receiver 3'],
  ]);
});

test('receivers that hang leave the slots of the others alone', () => {
  const slots = new DeliverySlots({ totalMax: 100, perReceiverMax: 3 });
  slots.addDue(['hanging', 'quick']);
  for (let taken = 0; taken < 3; taken += 1) slots.take('hanging');
  assert.deepEqual(slots.grants(), [{ subscriptionId: 'quick', slots: 3 }]);
});

test('a receiver with nothing due is not asked for again', () => {
  const slots = new DeliverySlots({ totalMax: 100, perReceiverMax: 3 });
  slots.addDue(['a']);
  slots.removeDue('a');
  assert.deepEqual(slots.grants(), []);
});
