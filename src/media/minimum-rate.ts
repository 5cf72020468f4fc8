import type { Clock } from '../platform/clock.ts';
import { MediaFailure } from './media-failure.ts';

/** Speech at its most frugal is 2 KiB/s; a server that sends media at eight times that keeps nobody waiting for long. */
export const rateLimits = { bytesPerSecondMin: 16 * 1024, patienceMs: 40_000 };

/**
 * Patience with a slow server: what is slower than the minimum uses it up, what is faster earns it back. A pause of
 * half a minute in a good connection is no reason to give up; a byte every few seconds is.
 */
export class RateMeter {
  #patienceMs = rateLimits.patienceMs;

  /** Throws when the patience is used up. To try again would cost as much time once more. */
  spend(elapsedMs: number, bytes: number): void {
    const earnedMs = (bytes / rateLimits.bytesPerSecondMin) * 1_000;
    this.#patienceMs = Math.min(this.#patienceMs + earnedMs - elapsedMs, rateLimits.patienceMs);
    if (this.#patienceMs >= 0) return;
    const cause = `less than ${rateLimits.bytesPerSecondMin} bytes per second`;
    throw new MediaFailure('media_too_slow', { cause, transient: false });
  }
}

/** The same bytes, as long as they come fast enough. Only the time of waiting for them counts. */
export async function* fastEnough(
  body: AsyncIterable<Buffer>,
  meter: RateMeter,
  clock: Clock,
): AsyncGenerator<Buffer> {
  let waitingSince = clock.now();
  try {
    for await (const chunk of body) {
      meter.spend(clock.now() - waitingSince, chunk.length);
      yield chunk;
      waitingSince = clock.now();
    }
  } catch (error) {
    meter.spend(clock.now() - waitingSince, 0);
    throw error;
  }
}
