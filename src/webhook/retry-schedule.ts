/** When the next attempt comes. The schedule is data: seconds before each attempt; its length is the number of attempts. */
export interface RetrySchedule {
  /** Milliseconds before each attempt. */
  readonly stepsMs: readonly number[];
}

const attemptsMax = 7;
const stepSecondsMax = 7 * 24 * 3_600;
const jitterShare = 0.2;
/** A receiver may ask for more time, but not push the schedule out of shape. */
const retryAfterFactorMax = 2;

export const defaultScheduleSetting = '0,5,300,1800,7200,18000,36000';

export function parseRetrySchedule(setting: string): RetrySchedule {
  const steps = setting
    .split(',')
    .map((part) => (/^\s*\d+(\.\d+)?\s*$/.test(part) ? Number(part) : Number.NaN));
  if (steps.length > attemptsMax || steps.some((step) => Number.isNaN(step) || step > stepSecondsMax)) {
    throw new Error(
      `must be 1 to ${attemptsMax} numbers of seconds separated by commas, each at most a week`,
    );
  }
  return { stepsMs: steps.map((step) => step * 1_000) };
}

/** Milliseconds from the end of attempt number `attempts` to the next one, or undefined when there is none. */
export function nextDelayMs(
  schedule: RetrySchedule,
  {
    attempts,
    retryAfterMs,
    random,
  }: { attempts: number; retryAfterMs: number | undefined; random: () => number },
): number | undefined {
  const stepMs = schedule.stepsMs[attempts];
  if (stepMs === undefined) return undefined;
  const jitteredMs = stepMs * (1 + jitterShare * (2 * random() - 1));
  const askedMs = retryAfterMs === undefined ? 0 : Math.min(retryAfterMs, stepMs * retryAfterFactorMax);
  return Math.round(askedMs > 0 ? Math.max(askedMs, stepMs, jitteredMs) : jitteredMs);
}

/** `Retry-After` as seconds or as an HTTP date. Anything else is as if it were not there. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1_000;
  if (!/^[A-Za-z]{3}, \d{2} [A-Za-z]{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return undefined;
  const atMs = Date.parse(value);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
