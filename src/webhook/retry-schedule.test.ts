import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultScheduleSetting, nextDelayMs, parseRetrySchedule, retryAfterMs } from './retry-schedule.ts';

const schedule = parseRetrySchedule(defaultScheduleSetting);
const middle = () => 0.5;

test('the written schedule has seven attempts and then ends', () => {
  const delays = [1, 2, 3, 4, 5, 6, 7].map((attempts) =>
    nextDelayMs(schedule, { attempts, retryAfterMs: undefined, random: middle }),
  );
  assert.deepEqual(delays, [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, undefined]);
});

test('jitter is a fifth either way and no more', () => {
  const at = (random: number) =>
    nextDelayMs(schedule, { attempts: 2, retryAfterMs: undefined, random: () => random });
  assert.equal(at(0), 240_000);
  assert.equal(at(0.999_999_999), 360_000);
});

test('Retry-After counts between once and twice the step', () => {
  const after = (seconds: number) =>
    nextDelayMs(schedule, { attempts: 2, retryAfterMs: seconds * 1_000, random: middle });
  assert.equal(after(1), 300_000);
  assert.equal(after(450), 450_000);
  assert.equal(after(601), 600_000);
  assert.equal(after(999_999_999), 600_000);
});

test('Retry-After does not let a schedule that is over begin again', () => {
  assert.equal(nextDelayMs(schedule, { attempts: 7, retryAfterMs: 1_000, random: middle }), undefined);
});

test('Retry-After is read as seconds or as a date, and nonsense is ignored', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  assert.equal(retryAfterMs('120', nowMs), 120_000);
  assert.equal(retryAfterMs(' 0 ', nowMs), 0);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:02:00 GMT', nowMs), 120_000);
  assert.equal(retryAfterMs('Wed, 31 Dec 2025 23:00:00 GMT', nowMs), 0);
  for (const nonsense of [undefined, '', '-5', '1.5', '1e9', 'soon', '99999999999999999999', '2026-01-01']) {
    assert.equal(retryAfterMs(nonsense, nowMs), undefined, String(nonsense));
  }
});

test('a setting that is no schedule is refused', () => {
  for (const setting of ['', 'a', '1,,2', '-1', '0,5,', '0,1,2,3,4,5,6,7', '999999999', '1 2']) {
    assert.throws(() => parseRetrySchedule(setting), /1 to 7 numbers of seconds/, JSON.stringify(setting));
  }
  assert.deepEqual(parseRetrySchedule('0, 0.5').stepsMs, [0, 500]);
});
