import { type SweepDeps, sweep } from './sweep.ts';

const sweepEveryMs = 10 * 60 * 1000;

export interface SweepDuty {
  /** Ends the duty; a sweep that is running is waited for. */
  stop(): Promise<void>;
}

/** Sweeps now and then as long as the service runs. Several processes may do so: one at a time does the work. */
export function startSweepDuty(deps: SweepDeps): SweepDuty {
  let running: Promise<void> | undefined;
  const tick = () => {
    running ??= sweepOnce(deps).finally(() => {
      running = undefined;
    });
  };
  tick();
  const cancel = deps.clock.every(sweepEveryMs, tick);
  return {
    async stop() {
      cancel();
      await running;
    },
  };
}

async function sweepOnce(deps: SweepDeps): Promise<void> {
  try {
    const report = await sweep(deps);
    const total = report ? Object.values(report).reduce((sum, count) => sum + count, 0) : 0;
    if (total > 0) deps.logger.info({ ...report }, 'swept storage');
  } catch (error) {
    deps.logger.warn({ err: error }, 'a sweep failed; it will be tried again');
  }
}
