import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openTestDatabase } from '../../test/support/database.ts';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { ApiError } from '../contract/errors.ts';
import { accountStore } from './account-store.ts';
import { Allowance } from './allowance.ts';
import { parsePlanTable } from './plan.ts';

const limits = {
  file_bytes_max: 1,
  media_seconds_max: 1,
  daily_transcriptions_max: 3,
  speaker_diarization: false,
};
const db = await openTestDatabase({ after });
const accounts = accountStore(parsePlanTable({ small: limits }));

test('the allowance holds under concurrent creates, comes back with a fault of ours, and starts anew at midnight UTC', async () => {
  const clock = new ManualClock(Date.parse('2026-03-01T23:59:00Z'));
  const allowance = new Allowance(clock);
  const account = await accounts.create(db, { name: 'a', plan: 'small' });
  const take = () => db.transaction((tx) => allowance.take(tx, account));

  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, take));
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 3);
  await assert.rejects(allowance.assertLeft(db, account), (error: ApiError) => {
    assert.equal(error.code, 'daily_limit_reached');
    assert.equal(error.headers['retry-after'], '60');
    return true;
  });

  await allowance.giveBack(db, account.id, '2026-03-01');
  await allowance.assertLeft(db, account);
  assert.deepEqual(await take(), { day: '2026-03-01' });
  await assert.rejects(take(), ApiError);

  await clock.advance(61_000);
  assert.deepEqual(await take(), { day: '2026-03-02' });
});

test('a count that is rolled back with its job was never taken', async () => {
  const allowance = new Allowance(new ManualClock(Date.parse('2026-03-01T12:00:00Z')));
  const account = await accounts.create(db, { name: 'b', plan: 'small' });
  const failing = db.transaction(async (tx) => {
    await allowance.take(tx, account);
    throw new Error('the job could not be stored');
  });
  await assert.rejects(failing, /could not be stored/);
  const rows = await db.query('select * from daily_usage where account_id = $1', [account.id]);
  assert.deepEqual(rows, []);
});
