import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../test/support/manual-clock.ts';
import { MediaFailure } from './media-failure.ts';
import { fastEnough, RateMeter, rateLimits } from './minimum-rate.ts';

const { bytesPerSecondMin, patienceMs } = rateLimits;

/** What arrives after how long; the last may be an error. */
type Arrival = [afterMs: number, bytes: number | Error];

async function secondsUntilEnd(
  arrivals: readonly Arrival[],
  meter = new RateMeter(),
): Promise<number | string> {
  const clock = new ManualClock();
  const startMs = clock.now();
  async function* body() {
    for (const [afterMs, bytes] of arrivals) {
      await clock.advance(afterMs);
      if (bytes instanceof Error) throw bytes;
      yield Buffer.alloc(bytes);
    }
  }
  try {
    for await (const _chunk of fastEnough(body(), meter, clock)) await clock.advance(60_000); // Our own slowness does not count.
    return 'whole';
  } catch (error) {
    if (!(error instanceof MediaFailure)) return String(error);
    assert.deepEqual([error.code, error.transient], ['media_too_slow', false]);
    return (clock.now() - startMs) / 1_000;
  }
}

const repeated = (count: number, ...arrival: Arrival): Arrival[] =>
  Array.from({ length: count }, () => arrival);

test('a server at the minimum rate is never too slow', async () => {
  assert.equal(await secondsUntilEnd(repeated(3_600, 1_000, bytesPerSecondMin)), 'whole');
});

test('a byte every five seconds is given up when the patience is used up', async () => {
  const drip = [...repeated(1, 0, 65_536), ...repeated(100, 5_000, 1)];
  const seconds = Number(await secondsUntilEnd(drip));
  // The reader's own pauses are in the clock, one for each piece that it got.
  assert.equal(seconds, patienceMs / 1_000 + 5 + 60 * 9);
});

test('a pause of half a minute in a fast connection is forgiven, again and again', async () => {
  const bursts = repeated(20, 30_000, 0).flatMap((pause) => [pause, [1_000, 2_000_000] as Arrival]);
  assert.equal(await secondsUntilEnd(bursts), 'whole');
});

test('silence before a broken connection counts for the next connection', async () => {
  const meter = new RateMeter();
  const broken: Arrival[] = [[30_000, new Error('silent')]];
  assert.equal(await secondsUntilEnd(broken, meter), 'Error: silent');
  assert.equal(await secondsUntilEnd(broken, meter), 30);
});
