/** A lease that several processes share: one works at a time, and what ended stays ended. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { runExclusively } from '../../src/platform/database/exclusive.ts';
import { openTestDatabase } from '../support/database.ts';
import { ManualClock } from '../support/manual-clock.ts';

const db = await openTestDatabase({ after });

test('a lease is free as soon as its work has ended, however many renewals were under way', async () => {
  const clock = new ManualClock();
  for (let round = 0; round < 10; round += 1) {
    const ended = await runExclusively({ db, clock }, 'ends', async () => {
      await clock.advance(60_000);
      return round;
    });
    assert.equal(ended, round);
  }
  assert.equal(clock.waiting, 0);
});

test('while one works another does nothing, also when the first lease would have run out', async () => {
  const clock = new ManualClock();
  const result = await runExclusively({ db, clock }, 'held', async () => {
    await db.query(`update duty set held_until = now() - interval '1 second' where name = 'held'`);
    await clock.advance(5_000);
    const isRenewed = async () =>
      (await db.query(`select from duty where name = 'held' and held_until > now()`)).length === 1;
    const limit = AbortSignal.timeout(10_000);
    while (!(await isRenewed())) limit.throwIfAborted();
    return await runExclusively({ db, clock }, 'held', async () => 'second');
  });
  assert.equal(result, undefined);
});

test('work that fails gives its lease up', async () => {
  const deps = { db, clock: new ManualClock() };
  await assert.rejects(
    runExclusively(deps, 'fails', async () => {
      throw new Error('a fault');
    }),
    /a fault/,
  );
  assert.equal(await runExclusively(deps, 'fails', async () => 'again'), 'again');
});
