import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { ApiError } from '../contract/errors.ts';
import { RateLimiter, type RateLimiterDeps, type RequestKind } from './rate-limit.ts';

const minuteMs = 60_000;

/** The count that all processes share, and how often it was asked. */
function sharedCount(clock: ManualClock): Pick<RateLimiterDeps, 'take'> & { asked(): number } {
  const periods = new Map<string, { startedAtMs: number; request: number; create: number }>();
  let asked = 0;
  return {
    asked: () => asked,
    async take(accountId, wanted) {
      asked += 1;
      const known = periods.get(accountId);
      const isCurrent = known && known.startedAtMs + minuteMs > clock.now();
      const period = isCurrent ? known : { startedAtMs: clock.now(), request: 0, create: 0 };
      period.request += wanted.request;
      period.create += wanted.create;
      periods.set(accountId, period);
      const { request, create } = period;
      return { counted: { request, create }, endsInMs: period.startedAtMs + minuteMs - clock.now() };
    },
  };
}

async function refused(limiter: RateLimiter, kind: RequestKind): Promise<Record<string, string> | undefined> {
  try {
    await limiter.admit('a', kind);
  } catch (error) {
    return (error as ApiError).headers;
  }
  return undefined;
}

test('a create counts against both limits, and a new minute starts anew', async () => {
  const clock = new ManualClock(0);
  const { take } = sharedCount(clock);
  const limiter = new RateLimiter({ requestsPerMinute: 3, createsPerMinute: 2 }, { clock, take });
  await limiter.admit('a', 'create');
  assert.deepEqual(await limiter.admit('a', 'create'), {
    'ratelimit-policy': '"create";q=2;w=60',
    ratelimit: '"create";r=0;t=60',
  });
  assert.equal((await refused(limiter, 'create'))?.['retry-after'], '60');
  await limiter.admit('a', 'request');
  await clock.advance(20_000);
  assert.deepEqual(await refused(limiter, 'request'), {
    'ratelimit-policy': '"request";q=3;w=60',
    ratelimit: '"request";r=0;t=40',
    'retry-after': '40',
  });
  await limiter.admit('b', 'request');
  await clock.advance(40_000);
  await limiter.admit('a', 'create');
});

test('three processes together let through one quota, and ask for few of the requests', async () => {
  const clock = new ManualClock(0);
  const shared = sharedCount(clock);
  const limits = { requestsPerMinute: 600, createsPerMinute: 60 };
  const processes = Array.from(
    { length: 3 },
    () => new RateLimiter(limits, { clock, take: (id, wanted) => shared.take(id, wanted) }),
  );
  let passed = 0;
  for (let round = 0; round < 250; round += 1) {
    for (const limiter of processes) if (!(await refused(limiter, 'request'))) passed += 1;
  }
  assert.equal(passed, 600);
  assert.ok(shared.asked() < 120, `the count was asked ${shared.asked()} times for 750 requests`);
});

test('requests that come at once are counted one by one', async () => {
  const clock = new ManualClock(0);
  const { take } = sharedCount(clock);
  const limiter = new RateLimiter({ requestsPerMinute: 40, createsPerMinute: 10 }, { clock, take });
  const answers = await Promise.all(Array.from({ length: 60 }, () => refused(limiter, 'request')));
  assert.equal(answers.filter((headers) => headers === undefined).length, 40);
});
