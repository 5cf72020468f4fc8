import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/telemetry/telemetry.ts';
import { type Check, problemsOf } from './check.ts';

const lookEveryMs = 2_000;

/** Looks again and again until nothing is missing any more; an operator mends things while the service runs. */
export async function untilReady(options: {
  checks: readonly Check[];
  /** Starts what could not be started before. */
  retry(): Promise<void>;
  clock: Clock;
  logger: Logger;
  signal: AbortSignal;
}): Promise<void> {
  const { checks, retry, clock, logger, signal } = options;
  for (;;) {
    await clock.sleep(lookEveryMs, signal);
    await retry().catch((error: unknown) => logger.warn({ err: error }, 'the worker could not be started'));
    if ((await problemsOf(checks)).length === 0) return;
  }
}
