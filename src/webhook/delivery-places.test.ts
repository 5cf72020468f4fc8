import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeliveryPlaces } from './delivery-places.ts';

const limits = { totalMax: 6, perAccountMax: 4, perReceiverMax: 3 };

function receiver(subscriptionId: string, accountId = subscriptionId) {
  return { subscriptionId, accountId };
}

function granted(places: DeliveryPlaces, ahead?: (id: string) => number): Record<string, number> {
  return Object.fromEntries(
    places.grants(ahead).map(({ subscriptionId, places: count }) => [subscriptionId, count]),
  );
}

test('a lone receiver gets its own places and no more', () => {
  const places = new DeliveryPlaces(limits);
  places.addWaiting([receiver('a')]);
  assert.deepEqual(granted(places), { a: 3 });
});

test('when places are short everybody gets one before anybody gets a second', () => {
  const places = new DeliveryPlaces(limits);
  places.addWaiting(['a', 'b', 'c', 'd'].map((id) => receiver(id)));
  assert.deepEqual(granted(places), { a: 2, b: 2, c: 1, d: 1 });
});

test('a receiver that hangs keeps its own places and leaves the others theirs', () => {
  const places = new DeliveryPlaces(limits);
  places.addWaiting([receiver('hangs'), receiver('b')]);
  for (let taken = 0; taken < 3; taken += 1) places.take(receiver('hangs'));
  assert.deepEqual(granted(places), { b: 3 });
});

test('the receivers of one account share its places', () => {
  const places = new DeliveryPlaces(limits);
  places.addWaiting([receiver('a', 'one'), receiver('b', 'one'), receiver('c', 'two')]);
  assert.deepEqual(granted(places), { a: 2, b: 2, c: 2 });
  for (let taken = 0; taken < 2; taken += 1) {
    places.take(receiver('a', 'one'));
    places.take(receiver('b', 'one'));
  }
  assert.deepEqual(granted(places), { c: 2 });
});

test('who had a turn goes behind those who had none', () => {
  const places = new DeliveryPlaces({ totalMax: 2, perAccountMax: 2, perReceiverMax: 1 });
  places.addWaiting(['a', 'b', 'c', 'd'].map((id) => receiver(id)));
  assert.deepEqual(granted(places), { a: 1, b: 1 });
  assert.deepEqual(granted(places), { c: 1, d: 1 });
});

test('a freed place can be granted again, and an empty line gets none', () => {
  const places = new DeliveryPlaces(limits);
  places.addWaiting([receiver('a')]);
  for (let taken = 0; taken < 3; taken += 1) places.take(receiver('a'));
  assert.deepEqual(granted(places), {});
  places.free(receiver('a'));
  assert.deepEqual(granted(places), { a: 1 });
  places.removeWaiting('a');
  assert.deepEqual(granted(places), {});
  assert.equal(places.total, 2);
});

test('what is claimed ahead is filled up by halves, not one by one', () => {
  const places = new DeliveryPlaces({ totalMax: 100, perAccountMax: 100, perReceiverMax: 4 });
  places.addWaiting([receiver('a')]);
  const ahead = () => 8;
  assert.deepEqual(granted(places, ahead), { a: 12 });
  for (let taken = 0; taken < 9; taken += 1) places.take(receiver('a'));
  assert.deepEqual(granted(places, ahead), {});
  places.free(receiver('a'));
  assert.deepEqual(granted(places, ahead), { a: 4 });
});
