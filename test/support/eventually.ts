import { setTimeout as delay } from 'node:timers/promises';

const deadlineMs = 120_000;
/** Soon at first, then rarely: asking a service every few milliseconds takes the processor from what is waited for. */
const pollMs = { first: 5, most: 25 };

/** Asks until there is an answer, for a bounded time. */
export async function eventually<Result>(
  ask: () => Promise<Result | undefined> | Result | undefined,
  what: string,
  withinMs = deadlineMs,
): Promise<Result> {
  const untilMs = Date.now() + withinMs;
  for (let pauseMs = pollMs.first; ; pauseMs = Math.min(pauseMs * 1.25, pollMs.most)) {
    const result = await ask();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > untilMs) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
    await delay(pauseMs);
  }
}
