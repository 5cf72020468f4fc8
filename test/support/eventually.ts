import { setTimeout as delay } from 'node:timers/promises';

const deadlineMs = 60_000;
const pollMs = 5;

/** Asks until there is an answer, for a bounded time. */
export async function eventually<Result>(
  ask: () => Promise<Result | undefined> | Result | undefined,
  what: string,
  withinMs = deadlineMs,
): Promise<Result> {
  const untilMs = Date.now() + withinMs;
  for (;;) {
    const result = await ask();
    if (result !== undefined && result !== false) return result;
    if (Date.now() > untilMs) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
    await delay(pollMs);
  }
}
