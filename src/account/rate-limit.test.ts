import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import type { ApiError } from '../contract/errors.ts';
import { RateLimiter } from './rate-limit.ts';

test('a create counts against both limits, and a new minute starts anew', async () => {
  const clock = new ManualClock(0);
  const limiter = new RateLimiter({ requestsPerMinute: 3, createsPerMinute: 2 }, clock);
  const refused = (kind: 'request' | 'create') => {
    try {
      limiter.admit('a', kind);
    } catch (error) {
      return (error as ApiError).headers;
    }
    return undefined;
  };
  limiter.admit('a', 'create');
  assert.deepEqual(limiter.admit('a', 'create'), {
    'ratelimit-policy': '"create";q=2;w=60',
    ratelimit: '"create";r=0;t=60',
  });
  assert.equal(refused('create')?.['retry-after'], '60');
  limiter.admit('a', 'request');
  await clock.advance(20_000);
  assert.deepEqual(refused('request'), {
    'ratelimit-policy': '"request";q=3;w=60',
    ratelimit: '"request";r=0;t=40',
    'retry-after': '40',
  });
  limiter.admit('b', 'request');
  await clock.advance(40_000);
  limiter.admit('a', 'create');
});
