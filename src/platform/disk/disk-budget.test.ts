import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiskBudget, defaultReserveBytes, NoDiskSpace } from './disk-budget.ts';

const mebibyte = 1024 * 1024;
const gibibyte = 1024 * mebibyte;

/** A disk of 1,000 bytes above a reserve of 100, on which others write, too. */
function disk({ promised = 0 } = {}) {
  const state = { freeBytes: 1_100, promised };
  const budget = new DiskBudget({
    space: async () => ({ freeBytes: state.freeBytes, totalBytes: 10_000 }),
    reserveBytes: 100,
    promisedBytes: async () => state.promised,
  });
  return { state, budget };
}

test('bytes count from the moment they are granted, and no longer than they are held', async () => {
  const { budget } = disk();
  const first = await budget.reserve(600);
  await assert.rejects(budget.reserve(401), NoDiskSpace);
  const second = await budget.reserve(400);
  assert.equal(await budget.availableBytes(), 0);
  first.release();
  second.release();
  assert.equal(await budget.availableBytes(), 1_000);
});

test('of many at once as many are granted as there is room for', async () => {
  const { budget } = disk();
  const asked = await Promise.allSettled(Array.from({ length: 50 }, () => budget.reserve(300)));
  const granted = asked.filter(({ status }) => status === 'fulfilled').length;
  assert.equal(granted, 3);
  assert.equal(await budget.availableBytes(), 100);
});

test('what is written counts once: on the disk, not in the reservation', async () => {
  const { state, budget } = disk();
  const held = await budget.reserve(500);
  state.freeBytes -= 200;
  held.written(200);
  assert.equal(await budget.availableBytes(), 500);
  held.release();
  assert.equal(await budget.availableBytes(), 800);
});

test('a reservation that grows stops at the reserve', async () => {
  const { budget } = disk();
  const held = await budget.reserve();
  await held.cover(700);
  await held.cover(500);
  await assert.rejects(held.cover(1_001), NoDiskSpace);
  assert.equal(await budget.availableBytes(), 300, 'what was held before is still held');
});

test('bytes of a stranger leave half as many for others', async () => {
  const { budget } = disk();
  const held = await budget.reserve();
  await held.coverShare(600);
  await held.expectShare(50);
  await assert.rejects(held.expectShare(100), NoDiskSpace);
  await assert.rejects(held.coverShare(700), NoDiskSpace);
});

test('a growing reservation takes large steps where there is room', async () => {
  const budget = new DiskBudget({
    space: async () => ({ freeBytes: gibibyte, totalBytes: gibibyte }),
    reserveBytes: 0,
  });
  const held = await budget.reserve();
  await held.cover(1);
  assert.equal(await budget.availableBytes(), gibibyte - 16 * mebibyte);
  await held.cover(16 * mebibyte);
  assert.equal(await budget.availableBytes(), gibibyte - 16 * mebibyte);
});

test('promised bytes are not granted to anybody else, and are received without a second room', async () => {
  const { state, budget } = disk({ promised: 900 });
  await assert.rejects(budget.reserve(101), NoDiskSpace);
  const arriving = await budget.receive(900);
  assert.equal(await budget.availableBytes(), 100);
  state.freeBytes -= 900;
  arriving.written(900);
  state.promised = 0;
  arriving.release();
  assert.equal(await budget.availableBytes(), 100);
});

test('room that others have taken meanwhile is not given to a promise', async () => {
  const { state, budget } = disk({ promised: 900 });
  state.freeBytes = 500;
  await assert.rejects(budget.receive(900), NoDiskSpace);
  assert.ok((await budget.availableBytes()) < 0);
});

test('the reserve is a gibibyte or a fiftieth of the disk, and at most a tenth of a small one', () => {
  assert.equal(defaultReserveBytes(700 * mebibyte), 70 * mebibyte);
  assert.equal(defaultReserveBytes(20 * gibibyte), gibibyte);
  assert.equal(defaultReserveBytes(1_000 * gibibyte), 20 * gibibyte);
});
