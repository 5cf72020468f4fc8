import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { accountStore } from '../../src/account/account-store.ts';
import { builtInPlans, parsePlanTable } from '../../src/account/plan.ts';
import { RateLimiter } from '../../src/account/rate-limit.ts';
import { requestRateStore } from '../../src/account/request-rate-store.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openTestDatabase } from '../support/database.ts';

const db = await openTestDatabase({ after });
const accounts = accountStore(parsePlanTable(builtInPlans));
const limits = { requestsPerMinute: 100, createsPerMinute: 10 };

/** As another API process would have it. */
function limiter(): RateLimiter {
  return new RateLimiter(limits, {
    clock: systemClock,
    take: (id, wanted) => requestRateStore.take(db, id, wanted),
  });
}

async function passed(limiters: readonly RateLimiter[], id: string, kind: 'request' | 'create') {
  const answers = await Promise.allSettled(limiters.map((one) => one.admit(id, kind)));
  return answers.filter(({ status }) => status === 'fulfilled').length;
}

test('processes share the minute of an account, and each account has its own', async () => {
  const [one, other] = await Promise.all(
    ['one', 'other'].map((name) => accounts.create(db, { name, plan: 'pro' })),
  );
  assert.ok(one && other);
  const processes = [limiter(), limiter(), limiter()];
  let creates = 0;
  for (let round = 0; round < 10; round += 1) creates += await passed(processes, one.id, 'create');
  assert.equal(creates, 10);
  assert.equal(await passed(processes, other.id, 'create'), 3);

  let requests = creates;
  for (let round = 0; round < 40; round += 1) requests += await passed(processes, one.id, 'request');
  assert.equal(requests, 100);

  await db.query(`update request_rate set started_at = now() - interval '61 s'`);
  assert.equal(await passed([limiter()], one.id, 'create'), 1);
});
