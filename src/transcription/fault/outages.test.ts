import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { silentLogger } from '../../../test/support/silent-logger.ts';
import { Outages } from './outages.ts';

function world(probe?: () => Promise<void>) {
  const clock = new ManualClock();
  let ends = 0;
  const outages = new Outages({
    clock,
    logger: silentLogger,
    probes: probe ? { storage: probe } : {},
    onEnd: () => {
      ends += 1;
    },
  });
  return { clock, outages, ends: () => ends };
}

test('what is away is asked for every few seconds, and tasks are taken again when it answers', async () => {
  let isThere = false;
  let asked = 0;
  const { clock, outages, ends } = world(async () => {
    asked += 1;
    if (!isThere) throw new Error('away');
  });
  outages.report('storage', new Error('away'));
  outages.report('storage', new Error('away'));
  assert.deepEqual([outages.mayTake('storage'), outages.mayTake('disk', 'engine')], [false, true]);
  await clock.advance(60_000);
  assert.ok(asked >= 10 && asked <= 16, String(asked));
  assert.deepEqual([outages.mayTake('storage', 'disk'), ends()], [false, 0]);
  isThere = true;
  await clock.advance(5_000);
  assert.deepEqual([outages.mayTake('storage'), ends()], [true, 1]);
});

test('without a probe the next task tries, after pauses that grow to half a minute or to what was asked for', async () => {
  const { clock, outages } = world();
  const pauses: number[] = [];
  for (let i = 0; i < 7; i += 1) {
    outages.report('engine', new Error('away'));
    let seconds = 0;
    while (!outages.mayTake('engine')) {
      await clock.advance(1_000);
      seconds += 1;
    }
    pauses.push(seconds);
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 30, 30]);
  outages.succeeded('engine');
  outages.report('engine', new Error('away'), 3_000);
  await clock.advance(2_000);
  assert.equal(outages.mayTake('engine'), false);
  await clock.advance(1_000);
  assert.equal(outages.mayTake('engine'), true);
});

test('a worker that stops waits for nothing', async () => {
  const { clock, outages } = world(async () => {});
  outages.report('storage', new Error('away'));
  outages.stop();
  await clock.advance(60_000);
  assert.equal(outages.mayTake('storage'), false);
});
