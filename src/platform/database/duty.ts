import type { Clock } from '../clock.ts';

export interface Duty {
  /** Ends the duty; a run that is under way is waited for. */
  stop(): Promise<void>;
}

/** Calls `run` now, and again every so often unless it is still running. It answers for its own faults. */
export function startDuty(clock: Clock, everyMs: number, run: () => Promise<void>): Duty {
  let running: Promise<void> | undefined;
  const tick = () => {
    running ??= run().finally(() => {
      running = undefined;
    });
  };
  tick();
  const cancel = clock.every(everyMs, tick);
  return {
    async stop() {
      cancel();
      await running;
    },
  };
}
