import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BodySlots } from './body-slots.ts';

const refused = { status: 429 };

test('bodies of one account that never end leave slots for another', async () => {
  const slots = new BodySlots({ total: 4, perAccount: 2, advice: '' });
  const { promise: never, resolve } = Promise.withResolvers<void>();
  const held = [slots.use('one', () => never), slots.use('one', () => never)];
  await assert.rejects(
    slots.use('one', async () => {}),
    refused,
  );
  assert.equal(await slots.use('other', async () => 'read'), 'read');
  held.push(
    slots.use('other', () => never),
    slots.use('other', () => never),
  );
  await assert.rejects(
    slots.use('third', async () => {}),
    refused,
  );
  resolve();
  await Promise.all(held);
  assert.equal(await slots.use('one', async () => 'read'), 'read');
});

test('a slot is free again when its body fails', async () => {
  const slots = new BodySlots({ total: 1, perAccount: 1, advice: '' });
  await assert.rejects(
    slots.use('one', () => Promise.reject(new Error('cut off'))),
    /cut off/,
  );
  assert.equal(await slots.use('one', async () => 'read'), 'read');
});
