/** Another try for failures that may pass: a name server, a busy site, a broken connection. */
import type { Clock } from '../platform/clock.ts';
import { MediaFailure } from './media-failure.ts';

/** Waits before the second, third and fourth try; with ±20 % so that many jobs do not come back at once. */
const waitsMs = [1_000, 4_000, 15_000];
/** A site may ask for more patience, up to this. */
const retryAfterMsMax = 60_000;

export async function withRetries<Result>(
  work: (attempt: number) => Promise<Result>,
  { clock, signal }: { clock: Clock; signal?: AbortSignal },
): Promise<Result> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (error) {
      const wait = waitsMs[attempt];
      if (!(error instanceof MediaFailure) || !error.transient || wait === undefined) throw error;
      const asked = Math.min(error.retryAfterMs ?? 0, retryAfterMsMax);
      await clock.sleep(Math.max(asked, wait * (0.8 + Math.random() * 0.4)), signal);
    }
  }
}
